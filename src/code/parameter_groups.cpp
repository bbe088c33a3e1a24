#include "code/parameter_groups.h"

#include "code/call_text.h"
#include "source/scalar.h"

#include <algorithm>
#include <vector>

namespace gpulint {

using python::Argument;
using python::Call;
using python::Interpreter;
using python::Kind;
using python::Value;

std::optional<double> number_in(const Interpreter& in, const Value& value) {
  if (value.is_number()) return value.number();
  return value.kind == Kind::text ? lenient_number(in.text(value.ref)) : std::nullopt;
}

namespace {

constexpr std::string_view kGrouped = "params";

/// The groups of parameters that an optimizer is given.
std::vector<const python::Object*> groups_of(const Interpreter& in, const Call& call) {
  std::vector<const python::Object*> groups;
  const Argument* first = argument_of(in, call, kGrouped, 0);
  if (first == nullptr) return groups;
  const bool is_list = first->value.kind == Kind::list || first->value.kind == Kind::tuple;
  if (!is_list) return groups;
  for (const Value& item : in.object(first->value.ref).items) {
    if (item.kind == Kind::dict) groups.push_back(&in.object(item.ref));
  }
  return groups;
}

}  // namespace

bool groups_state_more(const Interpreter& in, const Call& call) {
  const auto groups = groups_of(in, call);
  return std::any_of(groups.begin(), groups.end(), [&](const python::Object* group) {
    return std::any_of(group->entries.begin(), group->entries.end(),
                       [&](const auto& entry) { return in.text(entry.key) != kGrouped; });
  });
}

InGroups in_groups(const Interpreter& in, const Call& call, std::string_view name,
                   const Value* given) {
  static const Value kUnknown;
  InGroups found;
  std::vector<const Value*> values;
  for (const python::Object* group : groups_of(in, call)) {
    const Value* own = nullptr;
    for (const python::Entry& entry : group->entries) {
      if (in.text(entry.key) == name) own = &entry.value;
    }
    found.state = found.state || own != nullptr || group->open;
    if (own == nullptr) own = given != nullptr ? given : &kUnknown;
    if (number_in(in, *own) != 0.0) values.push_back(own);
  }
  if (!found.state || values.empty()) return found;
  const auto are = [&](const Value& wanted) {
    return [&in, number = number_in(in, wanted)](const Value* each) {
      return number && number_in(in, *each) == number;
    };
  };
  if (std::all_of(values.begin(), values.end(), are(*values.front()))) {
    found.value = values.front();
  } else if (given != nullptr && std::any_of(values.begin(), values.end(), are(*given))) {
    found.value = given;
  }
  return found;
}

bool may_have_groups(const Interpreter& in, const Call& call) {
  const Argument* first = argument_of(in, call, kGrouped, 0);
  if (first == nullptr || argument_text(call, first).find("parameters(") != std::string_view::npos)
    return false;
  const bool is_list = first->value.kind == Kind::list || first->value.kind == Kind::tuple;
  return !first->value.known() || (is_list && in.object(first->value.ref).open);
}

}  // namespace gpulint
