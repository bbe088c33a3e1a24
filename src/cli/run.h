#pragma once

namespace gpulint::cli {

/// The whole program: reads the command line, writes results to standard output and everything else
/// to standard error, returns the exit code.
int run(int argc, const char* const* argv);

/// For what no one foresaw: says so and returns the exit code of an internal error.
int report_internal_error(const char* what);

}  // namespace gpulint::cli
