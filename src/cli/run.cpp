#include "cli/run.h"

#include "base/platform.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/disk_reader.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "lint/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace gpulint::cli {
namespace {

/// Most files of a process are read once; a base of many runs and what fixes are tried on are not.
constexpr std::size_t kMostParsedBytes = std::size_t{4} << 20;

int dispatch(const Arguments& arguments, const FileReader& disk, Session& session) {
  switch (arguments.command) {
    case Command::check:
      return check(arguments, disk, session);
    case Command::facts:
      return facts(arguments, session);
    case Command::runs:
      return runs(arguments, session);
    case Command::diff:
      return diff(arguments, session);
    case Command::estimate:
      return estimate(arguments, session);
    case Command::fit:
      return fit(arguments, session);
    case Command::list:
      return list(arguments, session);
    case Command::step:
      return step(arguments, session);
    case Command::explain:
      return explain(arguments, session);
    case Command::confirm:
      return confirm(arguments, disk, session);
    case Command::config:
      return verify_config(arguments, session);
    case Command::schema:
      return schema(arguments, session);
    case Command::completions:
      return completions(arguments, session);
    case Command::man:
      return man(arguments, session);
    case Command::init:
      return init(arguments, disk, session);
    case Command::lsp:
      return lsp(arguments, disk);
    case Command::watch:
      return watch(arguments, disk, session);
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
  prepare_standard_streams();
  ParsedCommandLine line = parse_command_line(command_line(argc, argv));
  if (!line.arguments) return finish_early(line);
  const DiskReader disk;
  Result<Session> session = Session::open(
      disk, {.data_folder = line.arguments->data, .most_parsed_bytes = kMostParsedBytes});
  if (!session) return report_internal_error(session.error().to_string().c_str());
  const std::vector<Error> errors = session->errors();
  for (const Error& error : errors) print_error(error);
  if (auto named = name_local_gpu(*line.arguments, disk, *session); !named) {
    print_error(named.error());
    return kUsage;
  }
  open_measured(*line.arguments, disk, *session);
  const int code = dispatch(*line.arguments, disk, *session);
  return finish(errors.empty() ? code : std::max(code, kUsage));
}

int report_internal_error(const char* what) {
  print_error(fmt::format("internal error: {}", what));
  print_error("this is a mistake in gpulint; please report it with the command and the file");
  return kInternal;
}

}  // namespace gpulint::cli
