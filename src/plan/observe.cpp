#include "plan/observe.h"

#include "base/text.h"
#include "plan/fact_table.h"
#include "source/document.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {

namespace {

const char* list_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::duplicate_key:
      return "duplicate_keys";
    case ProblemKind::undefined_alias:
    case ProblemKind::cyclic_alias:
    case ProblemKind::merge_not_mapping:
      return "broken_aliases";
    case ProblemKind::not_strict_json:
      return "not_strict_json";
    case ProblemKind::limit:
      return "limits";
  }
  return "";
}

// Raw text of the value that belongs to a key, cut to what fits on a line. Nodes are in pre-order:
// a value follows its key.
std::string value_text(const Document& document, NodeId key) {
  constexpr std::size_t kShown = 60;
  const NodeId value = key + 1;
  if (value >= document.size() || document.node(value).key != key) return {};
  return std::string(document.scalar(value).substr(0, kShown));
}

std::string fact_of_key(const TrainingPlan& facts, const SourceSpan& key) {
  for (const FactRow& row : fact_table()) {
    const Provenance* from = provenance_of(facts, row);
    if (from != nullptr && from->origin == Origin::stated && from->key_span == key) {
      return std::string(row.name);
    }
  }
  return {};
}

void describe_duplicate(const Document& document, const Problem& problem, const TrainingPlan& facts,
                        Observation& item) {
  item.name = std::string(document.scalar(problem.node));
  item.span = document.span(problem.node);
  item.value = value_text(document, problem.node);
  if (problem.other == kNoNode) return;
  item.other = document.span(problem.other);
  item.detail = value_text(document, problem.other);
  if (equals_ignoring_case(item.value, item.detail)) item.detail = item.value;  // True, true
  item.fact = fact_of_key(facts, item.other);
}

}  // namespace

Observation limit_observation(const Document& document, std::string detail) {
  Observation item;
  item.list = "limits";
  item.span = {document.file(), 0, 0};
  item.detail = std::move(detail);
  return item;
}

void observe_limits(const KeyIndex& keys, Plan& plan) {
  if (!keys.truncated()) return;
  plan.observations.push_back(limit_observation(
      keys.document(),
      "more keys, or keys nested deeper, than gpulint looks at; the rest was left out"));
}

void observe_document(const Document& document, Plan& plan, bool is_composed) {
  constexpr std::size_t kMostProblems = 1'000;  // nobody reads more about one file
  const std::span<const Problem> problems = document.problems();
  for (const Problem& problem : problems.first(std::min(problems.size(), kMostProblems))) {
    Observation item;
    item.list = list_of(problem.kind);
    item.span = {document.file(), problem.begin, problem.end};
    item.detail = problem.text;
    if (problem.node != kNoNode) {
      item.pointer = document.pointer(problem.node);
      if (problem.kind == ProblemKind::duplicate_key) {
        describe_duplicate(document, problem, plan.facts, item);
        if (is_composed) item.fact = "refused";
      }
    }
    plan.observations.push_back(std::move(item));
  }
  if (problems.size() > kMostProblems) {
    plan.observations.push_back(
        limit_observation(document, "more than 1000 problems in the text; the rest was left out"));
  }
}

void observe_auto_values(const KeyIndex& keys, const Dialect& dialect, PathHash root,
                         std::vector<Observation>& observations) {
  const Document& document = keys.document();
  NodeId last = kNoNode;  // a key that states several facts has a row for each, side by side
  dialect.mapping->keys.for_each_in(keys.names(), [&](const KeyMapping& key) {
    const Place place = keys.find(path_below(root, key.path));
    if (!place.found() || place.key == last || place.key == kNoNode) return;
    if (document.kind(place.value) != NodeKind::scalar) return;
    if (to_lower(document.scalar(place.value)) != "auto") return;
    last = place.key;
    Observation& item = observations.emplace_back();
    item.list = "auto_values";
    item.span = document.span(place.value);
    item.pointer = document.pointer(place.value);
    item.name = std::string(document.scalar(place.key));
    item.fact = key.fact;
  });
}

}  // namespace gpulint
