#include "lint/twins.h"

#include "base/text.h"
#include "lint/folders.h"
#include "lint/lint.h"
#include "plan/fact_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <tuple>

namespace gpulint {
namespace {

/// A folder with more configs than this is a collection; asking it for twins of one named file
/// would cost more than all the rest.
constexpr std::size_t kMaxSiblings = 64;

/// Parts of key names that gpulint has no fact for but that name data, model or schedule.
constexpr std::array<std::string_view, 18> kLearningWords{
    "data", "model", "arch",    "backbone",  "net",   "loss", "optim",    "sched",  "warm",
    "lr",   "train", "augment", "transform", "token", "lora", "pretrain", "freeze", "task"};

/// A larger file is data rather than a recipe somebody copied and changed.
constexpr std::size_t kMaxNodes = 20'000;

/// FNV-1a: stable across machines and runs, unlike std::hash.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    value_ = (value_ ^ 0x1ffU) * 0x100000001b3U;  // an end mark no byte can be
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

bool has_learning_word(std::string_view key) {
  const std::string lower = to_lower(key);
  return std::any_of(kLearningWords.begin(), kLearningWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// Adds a scalar with the keys above it, if one of them names something that shapes learning.
void add_if_learning(Hash& hash, const Document& document, NodeId scalar) {
  Hash path;
  bool learning = false;
  for (NodeId id = scalar; id != kNoNode; id = document.node(id).parent) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode) continue;
    path.add(document.scalar(key));
    learning = learning || has_learning_word(document.scalar(key));
  }
  if (!learning) return;
  hash.add(std::to_string(path.value()));
  hash.add(document.scalar(scalar));
}

/// Places of values that facts were read from: those are compared as facts, whatever their keys.
std::set<SourceSpan> mapped_places(const Plan& plan) {
  std::set<SourceSpan> places;
  for (const FactRow& row : fact_table()) {
    const Provenance* from = provenance_of(plan.facts, row);
    if (from != nullptr && from->span.known()) places.insert(from->span);
  }
  return places;
}

std::uint64_t signature_of(const Plan& plan, const Document& document) {
  Hash hash;
  hash.add(plan.dialect);
  for (const FactRow& row : fact_table()) {
    if (!row.shapes_learning || provenance_of(plan.facts, row) == nullptr) continue;
    hash.add(row.name);
    hash.add(canonical_text(plan.facts, row));
  }
  const std::set<SourceSpan> mapped = mapped_places(plan);
  // Keys in text order: a reordered copy counts as another recipe, which errs towards silence.
  for (NodeId id = 0; id < document.size(); ++id) {
    const Node& node = document.node(id);
    const bool is_value = node.kind == NodeKind::scalar && node.parent != kNoNode;
    if (!is_value || mapped.count(document.span(id)) != 0) continue;
    const bool is_key = node.key == kNoNode && document.kind(node.parent) == NodeKind::mapping;
    if (is_key) continue;
    add_if_learning(hash, document, id);
  }
  return hash.value();
}

bool scales_itself(const Plan& plan, const Dialect& dialect) {
  const auto& scaling = plan.facts.learning_rate_scaling;
  return dialect.scales_learning_rate || (scaling && scaling->value != "none");
}

bool is_number_part(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '-' || c == '+';
}

LearningRateReference reference_from(const LearningRun& run) {
  LearningRateReference reference;
  reference.kind = LearningRateReference::Kind::twin;
  reference.learning_rate = run.learning_rate;
  reference.global_batch_size = run.batch;
  reference.path = run.path;
  reference.span = run.span;
  return reference;
}

}  // namespace

std::optional<LearningRun> learning_run(const Plan& plan, const Document& document,
                                        const Dialect& dialect) {
  const TrainingPlan& facts = plan.facts;
  if (!facts.learning_rate || !facts.optimizer || scales_itself(plan, dialect)) return std::nullopt;
  if (!learning_rate_rule(facts)) return std::nullopt;
  if (facts.reference_batch_size && facts.reference_learning_rate) return std::nullopt;
  LearningRun run;
  run.folder = folder_of(plan.path);
  run.path = plan.path;
  run.learning_rate = facts.learning_rate->value;
  run.span = facts.learning_rate->from.span;
  if (facts.global_batch_size) {
    run.batch = facts.global_batch_size->value;
    run.over_devices = true;
  } else if (facts.per_device_batch_size) {
    const auto& accumulation = facts.gradient_accumulation_steps;
    run.batch = saturating_multiply(facts.per_device_batch_size->value,
                                    accumulation ? accumulation->value : 1);
  }
  if (document.size() > kMaxNodes || run.batch <= 0 || run.learning_rate <= 0 || !run.span.known())
    return std::nullopt;
  run.signature = signature_of(plan, document);
  return run;
}

std::map<std::string, LearningRateReference> find_twins(std::vector<LearningRun> runs) {
  const auto group_of = [](const LearningRun& run) {
    return std::tie(run.folder, run.signature, run.learning_rate, run.over_devices);
  };
  std::sort(runs.begin(), runs.end(), [&](const LearningRun& a, const LearningRun& b) {
    return std::tuple_cat(group_of(a), std::tie(a.batch, a.path)) <
           std::tuple_cat(group_of(b), std::tie(b.batch, b.path));
  });
  std::map<std::string, LearningRateReference> twins;
  const LearningRun* smallest = nullptr;
  for (const LearningRun& run : runs) {
    if (smallest == nullptr || group_of(*smallest) != group_of(run)) smallest = &run;
    if (run.batch != smallest->batch) twins.emplace(run.path, reference_from(*smallest));
  }
  return twins;
}

std::vector<std::string> possible_twins(const FileReader& files, const std::string& folder,
                                        const std::set<std::string>& linted) {
  std::vector<std::string> paths;
  const auto entries = files.list(folder);
  if (!entries) return paths;
  for (const DirectoryEntry& entry : *entries) {
    std::string path = join_path(folder, entry.name);
    const bool candidate = entry.kind == FileKind::regular && may_be_config(entry.name);
    if (candidate && linted.count(path) == 0) paths.push_back(std::move(path));
  }
  if (paths.size() > kMaxSiblings) paths.clear();
  return paths;
}

bool mentions_number(std::string_view text, double value) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_number_part(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_number_part(text[end])) ++end;
    double number = 0;
    const auto parsed = std::from_chars(text.data() + at, text.data() + end, number);
    if (parsed.ec == std::errc{} && number == value) return true;
    at = end;
  }
  return false;
}

}  // namespace gpulint
