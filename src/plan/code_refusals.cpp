#include "plan/code_refusals.h"

#include "plan/native_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

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
    case Refusal::How::unknown_key:
      return fmt::format("ends the run: its defaults have no `{}`, and it takes no new keys",
                         refusal.name);
    case Refusal::How::mistyped:
      return fmt::format("ends the run: `{}` is {}, but its default is {}", refusal.name,
                         refusal.given, refusal.callee);
  }
  return {};
}

/// What the same mapping lacks further on: " (nor `a`)", " (nor 3 other keys)".
std::string further_lacks(const std::vector<CodeRefusal>& all, std::size_t first) {
  std::vector<std::string_view> names;
  for (std::size_t i = first + 1; i < all.size(); ++i) {
    const bool is_same = all[i].how == Refusal::How::lacks && all[i].because == all[first].because;
    if (is_same) names.push_back(all[i].name);
  }
  if (names.empty()) return {};
  if (names.size() == 1) return fmt::format(" (nor `{}`)", names.front());
  return fmt::format(" (nor {} other keys)", names.size());
}

bool is_told_before(const std::vector<CodeRefusal>& all, std::size_t index) {
  return all[index].how == Refusal::How::lacks &&
         std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const CodeRefusal& each) {
                       return each.how == Refusal::How::lacks && each.because == all[index].because;
                     });
}

}  // namespace

void observe_code_refusals(const Run& run, std::vector<Observation>& observations) {
  if (run.project() == nullptr) return;
  // What an option or a file that is not there would have stated, the code only seems to lack.
  const std::span<const Observation> all = run.observations();
  if (std::any_of(all.begin(), all.end(), [](const Observation& each) {
        return each.list == "absent_options" || each.list == "unread_references";
      }))
    return;
  const Document& document = run.document();
  const std::vector<CodeRefusal>& refusals = run.code().refusals;
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    const CodeRefusal& refusal = refusals[i];
    NodeId node = kNoNode;
    for (const SourceSpan& span : refusal.because) {
      if (node == kNoNode) node = node_at(document, span);
    }
    if (node == kNoNode || is_told_before(refusals, i)) continue;
    // Left open for whoever starts the run.
    const bool is_open =
        std::any_of(refusal.because.begin(), refusal.because.end(), [&](const SourceSpan& span) {
          const NodeId stated = node_at(document, span);
          return stated != kNoNode &&
                 read_native(document, stated).state == NativeValue::State::absent;
        });
    const bool is_condition =
        refusal.how == Refusal::How::asserts || refusal.how == Refusal::How::raises;
    if (is_open && is_condition) continue;
    Observation& item = observations.emplace_back();
    item.list = "code_refusals";
    item.span = document.span(node);
    item.pointer = document.pointer(node);
    item.name = key_of(document, node);
    item.value = fmt::format("{}:{}", run.project()->path_of(refusal.place.file),
                             run.project()->line_of(refusal.place.file, refusal.place.begin));
    item.detail = what_happens(refusal, item.name);
    if (refusal.how == Refusal::How::lacks) item.detail += further_lacks(refusals, i);
  }
}

}  // namespace gpulint
