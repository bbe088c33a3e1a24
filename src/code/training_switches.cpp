#include "code/training_switches.h"

#include "base/text.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {

namespace {

std::string option_name(const Document& options, const Member& member) {
  std::string name = to_lower(options.scalar(options.resolve(member.key)));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

bool evaluates_by_switch(const Document& options, const ScriptMarks& marks) {
  const std::vector<Member> members = options.members(options.root());
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    const NodeId value = options.resolve(member.value);
    return options.kind(value) == NodeKind::scalar &&
           equals_ignoring_case(options.scalar(value), "true") &&
           contains(marks.evaluating_switches, option_name(options, member));
  });
}

std::optional<bool> trains_by_switch(const Document& options, const ScriptMarks& marks) {
  bool is_other = false;
  for (const Member& member : options.members(options.root())) {
    const NodeId value = options.resolve(member.value);
    if (options.kind(value) != NodeKind::scalar) continue;
    const std::string_view given = options.scalar(value);
    std::string name = option_name(options, member);
    const bool is_off = given == "0" || equals_ignoring_case(given, "false");
    if (is_off && contains(marks.training_switches, name)) return false;
    if (!equals_ignoring_case(given, "true")) continue;
    if (has_any(name, marks.training_names)) return true;
    if (name.ends_with("_only")) name.resize(name.size() - std::string_view("_only").size());
    is_other =
        is_other || contains(marks.other_names, name) || contains(marks.other_switches, name);
  }
  return is_other ? std::optional(false) : std::nullopt;
}

}  // namespace gpulint
