#pragma once

#include "expr/operation.h"
#include "expr/value.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint::expr {

/// A function of the language itself.
struct BuiltinName {
  std::string_view name;
  Builtin id;
  int least = 1;  // arguments
  int most = 1;
};

std::optional<BuiltinName> find_builtin(std::string_view name);
/// A function that asks about a fact, not about its value.
std::optional<About> find_question(std::string_view name);
const BuiltinName& builtin_name(Builtin id);
void append_builtin_names(std::vector<std::string_view>& names);

/// Value of a builtin over checked arguments; `known` and `stated` aside, unknown in, unknown out.
Value call_builtin(Builtin id, std::span<const Value> arguments);

}  // namespace gpulint::expr
