#include "plan/refused_keys.h"

#include "base/text.h"
#include "catalog/known_keys.h"
#include "plan/deliberate.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

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
  Observation& item = observations.emplace_back();
  item.list = "contradicted_comments";
  item.span = batch->from.span;
  item.pointer = batch->from.pointer;
  item.name = "global_batch_size";
  item.value = std::to_string(batch->value);
  item.fact = "global_batch_size";
}

}  // namespace gpulint
