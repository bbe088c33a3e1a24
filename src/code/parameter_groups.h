#pragma once

// The groups of parameters that an optimizer is given (`[{"params": ..., "lr": 1e-4}, ...]`), each
// with values of its own. Internal to this room.

#include "python/interpreter.h"

#include <optional>
#include <string_view>

namespace gpulint {

/// A number, or one that a loader of YAML 1.1 has left a text ("1e-4").
std::optional<double> number_in(const python::Interpreter& in, const python::Value& value);

/// Groups bring more than their parameters: schedules of a project's own go by it.
bool groups_state_more(const python::Interpreter& in, const python::Call& call);

/// What the groups make of an argument. `value`: what they go by, apart from those that turn it
/// off (`weight_decay: 0` of biases); what the call says where they differ and one goes by it.
struct InGroups {
  bool state = false;  // one of them brings a value of its own
  const python::Value* value = nullptr;
};
InGroups in_groups(const python::Interpreter& in, const python::Call& call, std::string_view name,
                   const python::Value* given);

/// Nobody knows what an optimizer is given, which may be groups.
bool may_have_groups(const python::Interpreter& in, const python::Call& call);

}  // namespace gpulint
