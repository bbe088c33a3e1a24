#include "engine/fix_spelling.h"

#include "base/text.h"
#include "engine/fix_place.h"
#include "plan/fact_table.h"
#include "plan/map_keys.h"
#include "plan/native_value.h"
#include "plan/transforms.h"
#include "plan/value_maps.h"
#include "source/read.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

namespace gpulint {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBooleanWords = {{
    {"true", "false"},
    {"yes", "no"},
    {"on", "off"},
    {"1", "0"},
}};

/// `word` in the letter case of `model`: true, True or TRUE.
std::string in_case_of(std::string_view model, std::string_view word) {
  std::string result(word);
  if (model.empty() || !std::isupper(static_cast<unsigned char>(model[0]))) return result;
  const bool all_upper = model.size() > 1 && std::isupper(static_cast<unsigned char>(model[1]));
  for (std::size_t i = 0; i < (all_upper ? result.size() : 1); ++i) {
    result[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(result[i])));
  }
  return result;
}

/// The boolean `value` in the words that are written now ("False" -> "True", "off" -> "on").
std::optional<std::string> boolean_like(std::string_view now, bool value) {
  for (const auto& [yes, no] : kBooleanWords) {
    if (equals_ignoring_case(now, yes) || equals_ignoring_case(now, no)) {
      return in_case_of(now, value ? yes : no);
    }
  }
  return std::nullopt;
}

/// A text as the file's format writes it, in the quotes of the value it replaces.
std::string quoted_like(const WrittenValue& now, std::string_view text) {
  const auto in = [&](char quote) { return fmt::format("{0}{1}{0}", quote, text); };
  if (now.quoting == Quoting::single_quoted) return in('\'');
  if (now.quoting == Quoting::double_quoted) return in('"');
  const bool bare_in_json = text == "true" || text == "false" || lenient_number(text).has_value();
  const bool quotes_words = now.format == Format::json || now.format == Format::toml;
  if (quotes_words && !bare_in_json) return in('"');
  return std::string(text);
}

/// Canonical text as `set_fact` stores it; nullopt when it is not a value of the fact.
std::optional<std::string> normal_form(const FactRow& row, std::string_view text) {
  TrainingPlan scratch;
  if (!set_fact(scratch, row, text, {})) return std::nullopt;
  return canonical_text(scratch, row);
}

/// A switch that says "half precision" stands for either kind of it.
bool answers(std::string_view fact, std::string_view wanted, std::string_view read) {
  if (wanted == read) return true;
  return fact == "mixed_precision" && read == "enabled" && (wanted == "bf16" || wanted == "fp16");
}

using Mappings = std::vector<const KeyMapping*>;

Mappings mappings_at(const Dialect& dialect, const std::vector<std::string>& path) {
  Mappings found;
  for (const KeyMapping& mapping : dialect.mapping->keys.all()) {
    if (leads_to(mapping.path, path)) found.push_back(&mapping);
  }
  return found;
}

/// A table of words that several dialects share; empty when there is none of that name.
std::span<const ValueMapping> shared_words(const Subject& subject, const std::string& name) {
  if (name.empty()) return {};
  const ValueMap* map = find_value_map({subject.dialect, 1}, name);
  if (map == nullptr) map = find_value_map(subject.dialects, name);
  return map == nullptr ? std::span<const ValueMapping>() : std::span(map->values);
}

/// Native words for a canonical value, and whether the config uses the canonical words themselves.
struct Words {
  std::vector<std::string> native;
  bool canonical_in_use = false;
};

void add_words(const KeyMapping& mapping, const Subject& subject, std::string_view canonical,
               std::string_view now, Words& words) {
  for (const auto& values : {std::span(mapping.values), shared_words(subject, mapping.value_map)}) {
    for (const ValueMapping& value : values) {
      if (!value.canonical || value.native.ends_with('*')) continue;
      if (*value.canonical == canonical) words.native.push_back(value.native);
      words.canonical_in_use =
          words.canonical_in_use ||
          (equals_ignoring_case(value.native, now) && equals_ignoring_case(*value.canonical, now));
    }
  }
}

bool contains_word(const std::vector<std::string>& words, std::string_view wanted) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return equals_ignoring_case(word, wanted); });
}

/// Words that are written the same way as the present one, the dialect's own ways first.
void add_same_way(const Subject& subject, std::string_view fact, std::string_view now,
                  const std::vector<std::string>& words, std::vector<std::string>& proposals) {
  const auto add = [&](const Dialect& dialect) {
    bool known = false;
    for (const Spelling& way : dialect.spellings) {
      if (way.fact != fact || !contains_word(way.words, now)) continue;
      known = true;
      for (const std::string& word : way.words) {
        if (contains_word(words, word)) proposals.push_back(word);
      }
    }
    return known;
  };
  if (add(*subject.dialect)) return;
  for (const Dialect& dialect : subject.dialects) {
    if (add(dialect)) return;
  }
}

/// A number, where the present value is one too: "0,1" lists devices, and 2 would be another thing.
void add_number(const FactRow& row, const Mappings& own, const WantedFact& wanted,
                std::string_view now, std::vector<std::string>& proposals) {
  const bool converted = std::any_of(own.begin(), own.end(), [](const KeyMapping* mapping) {
    return !mapping->transform.empty();
  });
  if (converted && !lenient_number(now)) return;
  const bool whole = std::holds_alternative<Maybe<std::int64_t> TrainingPlan::*>(row.member);
  const bool real = std::holds_alternative<Maybe<double> TrainingPlan::*>(row.member);
  const auto number = lenient_number(wanted.value);
  if ((!whole && !real) || !number) return;
  proposals.push_back(number_like(now, *number, whole));
}

/// Texts that may mean the wanted value, best first.
std::vector<std::string> proposals_for(const Subject& subject, const Mappings& own,
                                       const WantedFact& wanted, const FactRow& row,
                                       std::string_view now) {
  std::vector<std::string> proposals;
  for (const bool flag : {true, false}) {
    if (auto styled = boolean_like(now, flag)) proposals.push_back(std::move(*styled));
  }
  Words words;
  for (const KeyMapping* mapping : own) add_words(*mapping, subject, wanted.value, now, words);
  add_same_way(subject, wanted.fact, now, words.native, proposals);
  if (words.native.size() == 1) proposals.push_back(words.native.front());
  add_number(row, own, wanted, now, proposals);
  const bool named = std::holds_alternative<Maybe<std::string> TrainingPlan::*>(row.member) ||
                     std::holds_alternative<Maybe<bool> TrainingPlan::*>(row.member);
  // With several words for one meaning and no way of writing to follow, only the canonical word is
  // taken, and only where the config uses canonical words already.
  const bool canonical = words.canonical_in_use && contains_word(words.native, wanted.value);
  if (named && (words.native.empty() || canonical)) proposals.push_back(wanted.value);
  return proposals;
}

/// Judges one text against everything the dialect reads from this key.
class Trial {
 public:
  Trial(const Subject& subject, Mappings at_key, const WantedFact& wanted, const WrittenValue& now,
        bool replaces)
      : subject_(subject), at_key_(std::move(at_key)), wanted_(wanted), now_(now) {
    const std::string written = quoted_like(now, now.text);
    for (const KeyMapping* mapping : at_key_) {
      before_.push_back(replaces ? read(*mapping, written) : std::string(kAbsent));
    }
  }

  /// What the text would be read as; nullopt when it means something else, or changes other facts
  /// (then `changed` names one).
  std::optional<std::string> accept(const std::string& text, std::string& changed) const {
    std::optional<std::string> meaning;
    for (std::size_t i = 0; i < at_key_.size(); ++i) {
      const KeyMapping& mapping = *at_key_[i];
      const std::optional<std::string> after = read(mapping, text);
      if (mapping.fact != wanted_.fact) {
        if (after == before_[i]) continue;
        changed = mapping.fact;
        return std::nullopt;
      }
      if (after == std::string(kAbsent) && before_[i] == std::string(kAbsent)) continue;
      if (!after || !answers(wanted_.fact, wanted_.value, *after)) return std::nullopt;
      meaning = after;
    }
    return meaning;
  }

 private:
  std::optional<std::string> read(const KeyMapping& mapping, std::string_view written) const {
    const auto text = read_forward(subject_, mapping, written, now_.format);
    const FactRow* row = find_fact(mapping.fact);
    if (!text || *text == kAbsent || row == nullptr) return text;
    return normal_form(*row, *text);
  }

  const Subject& subject_;
  Mappings at_key_;
  const WantedFact& wanted_;
  const WrittenValue& now_;
  std::vector<std::optional<std::string>> before_;
};

}  // namespace

std::optional<std::string> read_forward(const Subject& subject, const KeyMapping& mapping,
                                        std::string_view written, Format format) {
  // Read by the reader itself, so that quotes, nulls and placeholders mean what they will mean.
  const auto document =
      format == Format::json || format == Format::toml
          ? read_json({}, std::string(written), 0)
          : (format == Format::env ? read_env({}, fmt::format("K={}\n", written), 0)
                                   : read_yaml({}, std::string(written), 0));
  if (!document || document->root() == kNoNode) return std::nullopt;
  NodeId node = document->root();
  if (format == Format::env) node = document->find(node, "K");
  if (node == kNoNode || document->kind(node) != NodeKind::scalar) return std::nullopt;
  const NativeValue native = read_native(*document, node);
  if (native.state == NativeValue::State::absent) return std::string(kAbsent);
  if (native.state != NativeValue::State::text) return std::nullopt;
  const std::optional<Transform> transform = find_transform(mapping.transform);
  std::optional<std::string> text = transform ? (*transform)(*document, native) : std::nullopt;
  if (!text) return std::nullopt;
  const std::span<const ValueMapping> shared = shared_words(subject, mapping.value_map);
  if (!mapping.value_map.empty() && shared.empty()) return std::nullopt;
  return map_value(mapping.values, shared, std::move(*text));
}

Result<Spelled> spell(const Subject& subject, const std::vector<std::string>& path,
                      const WantedFact& wanted, const WrittenValue& now, bool replaces) {
  const FactRow* row = find_fact(wanted.fact);
  const Mappings at_key = mappings_at(*subject.dialect, path);
  Mappings own;
  std::copy_if(at_key.begin(), at_key.end(), std::back_inserter(own),
               [&](const KeyMapping* mapping) { return mapping->fact == wanted.fact; });
  if (row == nullptr || own.empty()) return fail("the key is not one of the dialect's own");
  WantedFact normal = wanted;
  if (auto text = normal_form(*row, wanted.value)) normal.value = std::move(*text);
  const Trial trial(subject, at_key, normal, now, replaces);
  std::string changed;
  for (const std::string& text : proposals_for(subject, own, normal, *row, now.text)) {
    std::string written = quoted_like(now, text);
    if (auto meaning = trial.accept(written, changed)) {
      return Spelled{std::move(written), std::move(*meaning)};
    }
  }
  if (!changed.empty()) return fail(fmt::format("the same value also states {}", changed));
  return fail(fmt::format("this config's way of writing {} has no certain word for {}", wanted.fact,
                          normal.value));
}

}  // namespace gpulint
