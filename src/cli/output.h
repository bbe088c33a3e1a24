#pragma once

#include "base/result.h"
#include "cli/arguments.h"

#include <string>
#include <string_view>

namespace gpulint::cli {

/// Writes results to standard output or a file; an Error when it did not all arrive (disk full).
/// A reader that went away (`gpulint … | head`) is no error.
Result<void> write_results(const OutputTarget& target, std::string_view text);

/// Messages to standard error, one line per line of `text`, escaped.
void print_error(std::string_view text);
void print_error(const Error& error);
void print_note(std::string_view text);

/// Colours and width for what goes to `target`.
bool wants_color(ColorChoice choice, const OutputTarget& target);
int terminal_width();

/// Standard input, read to its end or one byte past `limit`.
Result<std::string> read_standard_input(std::size_t limit);

}  // namespace gpulint::cli
