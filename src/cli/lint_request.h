#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "lint/lint.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint::cli {

/// The path by which standard input is linted; nullopt: it is not read.
std::optional<std::string> standard_input_path(const Arguments& arguments);

/// The request a command line asks for, names checked ("did you mean") and standard input read: it
/// becomes a buffer of the session. `arguments.gpus` beyond the first are the caller's.
Result<LintRequest> lint_request(const Arguments& arguments, Session& session);

/// Today, for suppressions that end: the same day everywhere, so in UTC.
Date today();

/// Error for an unknown rule id; nothing when it is known.
Result<void> check_rule_id(const Catalog& catalog, std::string_view id);

/// Prints environment failures; true when there were any.
bool print_errors(const LintResult& result);

}  // namespace gpulint::cli
