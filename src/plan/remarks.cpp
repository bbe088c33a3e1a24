#include "plan/remarks.h"

#include "base/text.h"
#include "source/scalar.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// "*" is any value.
bool has_value(const Document& document, NodeId node, std::string_view wanted) {
  if (wanted.empty() || wanted == "*") return true;
  return document.kind(node) == NodeKind::scalar &&
         is_same_plain_value(document.scalar(node), wanted);
}

class RemarkReader {
 public:
  RemarkReader(const KeyIndex& keys, PathHash root, const Run* run)
      : keys_(keys), document_(keys.document()), root_(root), run_(run) {}

  bool holds(const Remark& remark) const {
    const Place place = at(remark.key);
    if (!place.found() || !has_value(document_, place.value, remark.value)) return false;
    const bool with = std::all_of(remark.with.begin(), remark.with.end(), [&](const auto& each) {
      const Place other = at(each.native);
      return other.found() && has_value(document_, other.value, each.canonical.value_or("*"));
    });
    const bool without = std::none_of(remark.without.begin(), remark.without.end(),
                                      [&](const std::string& key) { return is_set(key); });
    return with && without && code_agrees(remark);
  }

  Place at(const std::string& key) const { return keys_.find(path_below(root_, key)); }

 private:
  /// A key without a value, or with an empty list, says nothing.
  bool is_set(const std::string& key) const {
    const Place place = at(key);
    if (!place.found()) return false;
    if (document_.kind(place.value) == NodeKind::scalar) {
      const std::string text = to_lower(trim(document_.scalar(place.value)));
      return !text.empty() && text != "null" && text != "~" && text != "none";
    }
    return document_.node(place.value).first_child != kNoNode;
  }

  bool code_agrees(const Remark& remark) const {
    if (remark.code_names.empty() && remark.code_lacks.empty()) return true;
    if (run_ == nullptr || run_->project() == nullptr) return false;
    const auto is_named = [&](const std::string& word) {
      return run_->project()->names(run_->root(), word);
    };
    return std::all_of(remark.code_names.begin(), remark.code_names.end(), is_named) &&
           std::none_of(remark.code_lacks.begin(), remark.code_lacks.end(), is_named);
  }

  const KeyIndex& keys_;
  const Document& document_;
  const PathHash root_;
  const Run* run_;
};

/// `eval_steps: 999999`: who asks for something that seldom asks for it never.
bool says_never(const Document& document, NodeId value) {
  constexpr double kSeldom = 99'999;
  if (document.kind(value) != NodeKind::scalar) return false;
  const std::optional<double> number = lenient_number(document.scalar(value));
  return number && *number >= kSeldom;
}

}  // namespace

void observe_remarks(const KeyIndex& keys, const Dialect& dialect, PathHash root, const Run* run,
                     std::vector<Observation>& observations) {
  const Document& document = keys.document();
  const RemarkReader reader(keys, root, run);
  for (const Remark& remark : dialect.mapping->remarks) {
    if (!reader.holds(remark)) continue;
    const Place place = reader.at(remark.key);
    if (remark.list == "idle_settings" && says_never(document, place.value)) continue;
    Observation& item = observations.emplace_back();
    item.list = remark.list;
    item.span = document.span(place.value);
    item.pointer = document.pointer(place.value);
    item.name = std::string(document.scalar(place.key));
    if (document.kind(place.value) == NodeKind::scalar) {
      item.value = std::string(document.scalar(place.value));
    }
    item.detail = remark.says;
  }
}

}  // namespace gpulint
