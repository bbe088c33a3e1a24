#include "plan/open_weights.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "plan/deliberate.h"
#include "plan/fact_table.h"
#include "source/document.h"
#include "source/scalar.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kParts[] = {"freeze_vision", "freeze_projector", "freeze_language"};

/// Into one string for all keys: this runs over every config.
void fold_into(std::string& folded, std::string_view text) {
  folded.assign(text);
  for (char& each : folded) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
}

/// Off; what another program puts in later counts as on.
bool is_off(std::string_view text) {
  constexpr std::array<std::string_view, 7> kOff{"", "~", "null", "none", "false", "no", "off"};
  const std::string folded = to_lower(text);
  if (std::find(kOff.begin(), kOff.end(), folded) != kOff.end()) return true;
  const std::optional<double> number = lenient_number(text);
  return number && *number <= 0;
}

/// The facts about the parts of a model already count what this key says.
bool is_read(const Document& document, NodeId child, const TrainingPlan& facts) {
  const std::string pointer = document.pointer(child);
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    const Provenance* from = provenance_of(facts, *find_fact(part));
    return from != nullptr && from->pointer == pointer;
  });
}

/// A fact came from this value.
bool states_a_fact(const Document& document, NodeId child, const TrainingPlan& facts) {
  const std::string pointer = document.pointer(child);
  return std::any_of(fact_table().begin(), fact_table().end(), [&](const FactRow& row) {
    const Provenance* from = provenance_of(facts, row);
    return from != nullptr && from->pointer == pointer;
  });
}

/// Calls `visit` with the folded key, the folded value and the node of every scalar of a mapping.
template <typename Visit>
void each_scalar(const Document& document, const Visit& visit) {
  std::string key_word;
  std::string value_word;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode || document.kind(key) != NodeKind::scalar) continue;
    const NodeId value = document.resolve(id);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    fold_into(key_word, document.scalar(key));
    fold_into(value_word, document.scalar(value));
    visit(key_word, value_word, id);
  }
}

FactState* open_state(FactSources& sources, std::string_view fact) {
  const FactRow* row = find_fact(fact);
  const auto place = static_cast<std::size_t>(row - fact_table().data());
  if (place >= sources.states.size() || provenance_of(sources.given, *row) != nullptr)
    return nullptr;
  return &sources.states[place];
}

bool is_one_of(std::string_view word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "number of tokens per batch", but not "16 sequences, 32k tokens per batch".
bool counts_tokens(std::string_view comment) {
  constexpr std::array<std::string_view, 5> kTokens{"tokens per batch", "number of tokens",
                                                    "in tokens", "tokens in a batch",
                                                    "tokens in each batch"};
  constexpr std::array<std::string_view, 3> kOthers{"sample", "sequence", "example"};
  const auto has = [&](std::string_view word) { return comment.find(word) != comment.npos; };
  return std::any_of(kTokens.begin(), kTokens.end(), has) &&
         std::none_of(kOthers.begin(), kOthers.end(), has);
}

}  // namespace

void leave_formats_open(const Document& document, const Catalog& catalog, FactSources& sources) {
  FactState* quantization = open_state(sources, "quantization");
  FactState* format = open_state(sources, "weights_dtype");
  const std::vector<std::string>& quantized = catalog.words("quantized-values");
  const std::vector<std::string>& bits = catalog.words("bit-keys");
  const std::vector<std::string>& switches = catalog.words("quantizing-switches");
  const std::vector<std::string>& half = catalog.words("half-formats");
  each_scalar(document, [&](const std::string& key, const std::string& value, NodeId id) {
    const bool is_few_bits = (value == "4" || value == "8") && is_one_of(key, bits);
    const bool is_switch = is_one_of(key, switches) && !is_off(value);
    const bool names_quantized = is_few_bits || is_switch || has_any(value, quantized);
    if (!names_quantized && !is_one_of(value, half)) return;
    if (states_a_fact(document, id, sources.given)) return;
    if (names_quantized && quantization != nullptr) *quantization = FactState::blocked;
    if (format != nullptr) *format = FactState::blocked;
  });
}

void leave_token_batches_open(const Document& document, FactSources& sources) {
  constexpr std::array<std::string_view, 3> kBatches{"per_device_batch_size", "global_batch_size",
                                                     "eval_batch_size"};
  for (const std::string_view fact : kBatches) {
    const FactRow* row = find_fact(fact);
    const Provenance* from = provenance_of(sources.given, *row);
    if (from == nullptr || from->origin != Origin::stated || !from->span.known()) continue;
    if (!counts_tokens(to_lower(comment_behind(document, from->span)))) continue;
    clear_fact(sources.given, *row);
    const auto place = static_cast<std::size_t>(row - fact_table().data());
    if (place < sources.states.size()) sources.states[place] = FactState::blocked;
  }
}

void leave_frozen_open(const Document& document, const Catalog& catalog, const TrainingPlan& facts,
                       FactSources& sources) {
  FactState* adapter = open_state(sources, "adapter");
  if (facts.adapter || adapter == nullptr) return;
  const std::vector<std::string>& freezing = catalog.words("freezing-keys");
  const std::vector<std::string>& details = catalog.words("freezing-details");
  const std::vector<std::string>& methods = catalog.words("adapter-values");
  const std::vector<std::string>& of_classes = catalog.words("class-keys");
  const std::vector<std::string>& classes = catalog.words("freezing-classes");
  each_scalar(document, [&](const std::string& key, const std::string& value, NodeId id) {
    const bool is_key = has_any(key, freezing) && !has_any(key, details) && !is_off(value);
    if (is_key && !is_read(document, id, facts)) *adapter = FactState::blocked;
    // `_target_: lightning.pytorch.callbacks.BackboneFinetuning`
    const std::string_view name = std::string_view(value).substr(value.rfind('.') + 1);
    if (is_one_of(key, of_classes) && has_any(name, classes)) *adapter = FactState::blocked;
    if (has_any(value, methods) && !states_a_fact(document, id, facts))
      *adapter = FactState::blocked;
  });
}

}  // namespace gpulint
