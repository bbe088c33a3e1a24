#pragma once

// What a call is given, and how the code writes it for people to read, on one line. Internal to
// this room.

#include "catalog/consumers.h"
#include "python/interpreter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// The argument of that name, else at that position; nullptr: none.
const python::Argument* argument_of(const python::Interpreter& in, const python::Call& call,
                                    std::string_view name, int position);
/// Source of an argument; "" where it is not written in this call.
std::string_view argument_text(const python::Call& call, const python::Argument* argument);
/// "torch.optim.AdamW(...)".
std::string call_text(const python::Call& call);
/// "torch.optim.AdamW(lr=cfg.speed)".
std::string call_text(const python::Call& call, std::string_view name,
                      const python::Argument& argument);
/// The text a value states; nullopt for what no fact can hold.
std::optional<std::string> native_text(const python::Interpreter& in, const python::Value& value);
/// `warmup * accelerator.num_processes`: of a schedule that is stepped once for each rank.
python::Value in_steps(std::string_view fact, const python::Value& value);
/// `value` by the argument's own table: nullopt = unknown, "absent" = as if it were left out.
std::optional<std::string> by_table(const ConsumedArgument& argument, const std::string& value);
SourceSpan call_span(const python::Call& call);
/// The line of a module from `begin` on.
std::string source_line(const python::Module& module, std::uint32_t begin);
/// The same of a statement that may take several lines, on one.
std::string source_text(const python::Module& module, std::uint32_t begin, std::uint32_t end);

}  // namespace gpulint
