#pragma once

// Methods and operators of Python's sets, over values that are known. Internal to this room.

#include "python/interpreter.h"

#include <optional>
#include <string_view>
#include <vector>

namespace gpulint::python {

/// Whether every item of `some` is in `set` too; nullopt: nobody knows.
std::optional<bool> holds_all(const Interpreter& in, const Value& set, const Value& some);

/// nullopt: it is none that is understood, or what it is given is not known.
std::optional<Value> set_method(Interpreter& in, const Value& self, std::string_view name,
                                const std::vector<Argument>& arguments);

}  // namespace gpulint::python
