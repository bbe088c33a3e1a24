#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "report/format.h"

#include <functional>
#include <string>
#include <string_view>

namespace gpulint::cli {

/// Writes results to standard output or a file; an Error when it did not all arrive (disk full).
/// A reader that went away (`gpulint … | head`) is not an error.
Result<void> write_results(const OutputTarget& target, std::string_view text);

/// Messages to standard error, one line per line of `text`, escaped.
void print_error(std::string_view text);
void print_error(const Error& error);
void print_note(std::string_view text);

/// How what goes to `target` looks.
/// Columns that help is written for.
int help_width();
/// `text` broken between words at the terminal's width, where it is for people and a terminal, or
/// COLUMNS, says how wide that is.
std::string for_people(std::string_view text, const OutputTarget& target);

ReportOptions report_options(const Arguments& arguments, const OutputTarget& target);

using Render = std::function<std::string(const OutputFormat&, const ReportOptions&)>;
/// Writes what `render` makes of every format asked for. False after an error, which is printed.
bool write_outputs(const Arguments& arguments, const Render& render);

/// Standard input, read to its end or one byte past `limit`.
Result<std::string> read_standard_input(std::size_t limit);

}  // namespace gpulint::cli
