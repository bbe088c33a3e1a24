#include "plan/refused_keys.h"

#include "base/text.h"
#include "catalog/known_keys.h"
#include "plan/deliberate.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

void observe_section(const Document& document, NodeId section, const AcceptedKeys& accepted,
                     std::vector<Observation>& observations) {
  for (NodeId child = document.node(section).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode || document.kind(key) != NodeKind::scalar) continue;
    const std::string name(document.scalar(key));
    if (std::find(accepted.keys.begin(), accepted.keys.end(), name) != accepted.keys.end())
      continue;
    Observation& item = observations.emplace_back();
    item.list = "refused_keys";
    item.span = document.span(key);
    item.pointer = document.pointer(child);
    item.name = name;
    item.value = accepted.value;
    item.detail = accepted.raises;
  }
}

/// The comment of one loader's batch is often copied to the other's.
template <class Add>
void add_twins(const Document& document, const Fact<std::int64_t>& batch,
               const std::string& comment, const Add& add) {
  const std::string_view key = document.text_at(batch.from.key_span);
  for (NodeId id = 0; id < document.size() && !key.empty(); ++id) {
    const NodeId name = document.node(id).key;
    const SourceSpan span = document.span(id);
    if (name == kNoNode || document.kind(id) != NodeKind::scalar || span == batch.from.span)
      continue;
    if (span.file != batch.from.span.file || document.scalar(name) != key) continue;
    const std::string other = to_lower(comment_behind(document, span));
    const std::size_t from = other.find("batch size per");
    if (from == std::string::npos || comment.find(other.substr(from)) == std::string::npos)
      continue;
    add(span, document.pointer(id), std::string(document.scalar(id)));
  }
}

}  // namespace

void observe_refused_keys(const KeyIndex& keys, const Dialect& dialect, const Scope& top,
                          std::vector<Observation>& observations) {
  const Document& document = keys.document();
  for (const AcceptedKeys& accepted : dialect.mapping->accepts) {
    const Place choice = keys.find(path_below(top.path, accepted.key));
    if (!choice.found() || document.kind(choice.value) != NodeKind::scalar) continue;
    if (!equals_ignoring_case(document.scalar(choice.value), accepted.value)) continue;
    const Place section = keys.find(path_below(top.path, accepted.under));
    if (section.found() && document.kind(section.value) == NodeKind::mapping) {
      observe_section(document, section.value, accepted, observations);
    }
  }
}

void observe_batch_comments(const Document& document, const Plan& plan,
                            std::vector<Observation>& observations) {
  constexpr std::array<std::string_view, 6> kOneDevice = {
      "per device", "per-device", "per gpu", "per-gpu", "each gpu", "each device"};
  const Maybe<std::int64_t>& batch = plan.facts.global_batch_size;
  if (!batch || batch->from.origin != Origin::stated) return;
  const std::string comment = to_lower(comment_behind(document, batch->from.span));
  const bool says_so =
      std::any_of(kOneDevice.begin(), kOneDevice.end(),
                  [&](std::string_view each) { return comment.find(each) != std::string::npos; });
  // "16 = 2 per device x 8" adds up, and "not per device" agrees.
  if (!says_so || comment.find_first_of("=*") != std::string::npos) return;
  for (const std::string_view word :
       {" x ", "not ", "total", "all ", "global", "across", "times"}) {
    if (comment.find(word) != std::string::npos) return;
  }
  const auto add = [&](const SourceSpan& span, std::string pointer, std::string value) {
    Observation& item = observations.emplace_back();
    item.list = "contradicted_comments";
    item.span = span;
    item.pointer = std::move(pointer);
    item.name = "global_batch_size";
    item.value = std::move(value);
    item.fact = "global_batch_size";
  };
  add(batch->from.span, batch->from.pointer, std::to_string(batch->value));
  add_twins(document, *batch, comment, add);
}

}  // namespace gpulint
