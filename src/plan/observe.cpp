#include "plan/observe.h"

#include "plan/fact_table.h"
#include "source/document.h"

#include <algorithm>
#include <string>
#include <string_view>

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

// Raw text of the value that belongs to a key, cut to what fits on a line.
std::string value_text(const Document& document, NodeId key) {
  constexpr std::size_t kShown = 60;
  const NodeId parent = document.node(key).parent;
  if (parent == kNoNode) return {};
  for (NodeId child = document.node(parent).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    if (document.node(child).key == key)
      return std::string(document.scalar(child).substr(0, kShown));
  }
  return {};
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

}  // namespace

void observe_document(const KeyIndex& keys, Plan& plan) {
  const Document& document = keys.document();
  for (const Problem& problem : document.problems()) {
    Observation item;
    item.list = list_of(problem.kind);
    item.span = {document.file(), problem.begin, problem.end};
    item.detail = problem.text;
    if (problem.node != kNoNode) item.pointer = document.pointer(problem.node);
    if (problem.kind == ProblemKind::duplicate_key && problem.node != kNoNode) {
      item.name = std::string(document.scalar(problem.node));
      item.span = document.span(problem.node);
      item.value = value_text(document, problem.node);
      if (problem.other != kNoNode) {
        item.other = document.span(problem.other);
        item.detail = value_text(document, problem.other);
        item.fact = fact_of_key(plan.facts, item.other);
      }
    }
    plan.observations.push_back(std::move(item));
  }
  if (keys.truncated()) {
    Observation item;
    item.list = "limits";
    item.detail = "more keys, or keys nested deeper, than are looked at; the rest was left out";
    item.span = {document.file(), 0, 0};
    plan.observations.push_back(std::move(item));
  }
}

}  // namespace gpulint
