#include "plan/code_refusals.h"

#include <fmt/format.h>

#include <string>

namespace gpulint {
namespace {

using python::Refusal;

/// The innermost node at `span`; kNoNode where none stands there.
NodeId node_at(const Document& document, SourceSpan span) {
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.span(id) == span) return id;
  }
  return kNoNode;
}

std::string key_of(const Document& document, NodeId node) {
  if (node == kNoNode || document.node(node).key == kNoNode) return {};
  return std::string(document.scalar(document.node(node).key));
}

std::string what_happens(const CodeRefusal& refusal, const std::string& key) {
  switch (refusal.how) {
    case Refusal::How::raises:
    case Refusal::How::asserts:
      return fmt::format("ends the run: {}", refusal.line);
    case Refusal::How::lacks:
      return fmt::format("ends the run: it reads `{}`, which {} does not have", refusal.name,
                         key.empty() ? "the config" : "`" + key + "`");
    case Refusal::How::takes_no:
      return fmt::format("ends the run: {} takes no `{}`", refusal.callee, refusal.name);
  }
  return {};
}

}  // namespace

void observe_code_refusals(const Run& run, std::vector<Observation>& observations) {
  if (run.project() == nullptr || run.code().refusals.empty()) return;
  const Document& document = run.document();
  // That of the likeliest script; of the others only that they refuse it too matters.
  const CodeRefusal& refusal = run.code().refusals.front();
  NodeId node = kNoNode;
  for (const SourceSpan& span : refusal.because) {
    if (node == kNoNode) node = node_at(document, span);
  }
  if (node == kNoNode) return;
  Observation& item = observations.emplace_back();
  item.list = "code_refusals";
  item.span = document.span(node);
  item.pointer = document.pointer(node);
  item.name = key_of(document, node);
  item.value = fmt::format("{}:{}", run.project()->path_of(refusal.place.file),
                           run.project()->line_of(refusal.place.file, refusal.place.begin));
  item.detail = what_happens(refusal, item.name);
}

}  // namespace gpulint
