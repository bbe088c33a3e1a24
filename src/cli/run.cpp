#include "cli/run.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/disk_reader.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "cli/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace gpulint::cli {
namespace {

int dispatch(const Arguments& arguments, const FileReader& reader, const Workspace& workspace) {
  switch (arguments.command) {
    case Command::check:
      return check(arguments, reader, workspace);
    case Command::facts:
      return facts(arguments, reader, workspace);
    case Command::diff:
      return diff(arguments, reader, workspace);
    case Command::estimate:
      return estimate(arguments, reader, workspace);
    case Command::fit:
      return fit(arguments, reader, workspace);
    case Command::list:
      return list(arguments, workspace);
    case Command::explain:
      return explain(arguments, workspace);
    case Command::confirm:
      return confirm(arguments, reader, workspace);
    case Command::config:
      return verify_config(arguments, reader, workspace);
    case Command::schema:
      return schema(arguments, workspace);
    case Command::completions:
      return completions(arguments, workspace);
    case Command::man:
      return man(arguments, workspace);
    case Command::init:
      return init(arguments, reader, workspace);
  }
  return kInternal;
}

/// Text that ends the program before any work.
int finish_early(const ParsedCommandLine& line) {
  if (line.exit_code != kClean) {
    std::fwrite(line.text.data(), 1, line.text.size(), stderr);
    return line.exit_code;
  }
  if (auto written = write_results({}, line.text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return kClean;
}

// GCC and clang say it in different ways.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLooksForLeaks = true;
#elif defined(__has_feature)
constexpr bool kLooksForLeaks = __has_feature(address_sanitizer);
#else
constexpr bool kLooksForLeaks = false;
#endif

/// Ends the process at once: giving back the catalog piece by piece would be a tenth of a short
/// run. Sanitizer builds go the long way, so that a leak shows.
int finish(int code) {
  if (kLooksForLeaks) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace

int run(int argc, const char* const* argv) {
  // A reader that closes the pipe (`| head`) must not kill the program before its exit code.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  ParsedCommandLine line = parse_command_line(words);
  if (!line.arguments) return finish_early(line);
  const DiskReader reader;
  std::vector<Error> errors;
  Result<Workspace> workspace = open_workspace(reader, line.arguments->data, errors);
  for (const Error& error : errors) print_error(error);
  if (!workspace) {
    return report_internal_error(workspace.error().to_string().c_str());
  }
  if (auto named = name_local_gpu(*line.arguments, reader, *workspace); !named) {
    print_error(named.error());
    return kUsage;
  }
  open_measured(*line.arguments, reader, *workspace);
  const int code = dispatch(*line.arguments, reader, *workspace);
  return finish(errors.empty() ? code : std::max(code, kUsage));
}

int report_internal_error(const char* what) {
  print_error(fmt::format("internal error: {}", what));
  print_error("this is a mistake in gpulint; please report it with the command and the file");
  return kInternal;
}

}  // namespace gpulint::cli
