#include "cli/fix_run.h"

#include "base/platform.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/fix_write.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "finding/fix_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint::cli {
namespace {

std::int64_t count_state(const FixResult& result, FixState state) {
  return std::count_if(result.records.begin(), result.records.end(),
                       [&](const FixRecord& record) { return record.state == state; });
}

std::string place_of(const FixRecord& record) {
  return fmt::format("{}:{}:{}", record.path, record.place.line, record.place.column);
}

/// One line of what was done, then what was taken back, then (verbose) what is only shown and why.
void print_account(const FixResult& result, const Arguments& arguments, std::int64_t files) {
  const std::int64_t applied = count_state(result, FixState::applied);
  const bool diff = arguments.fixes == FixMode::diff;
  std::string text = applied == 0
                         ? std::string(diff ? "nothing to fix" : "nothing was fixed")
                         : fmt::format("{} {} in {}", diff ? "would fix" : "fixed",
                                       counted(applied, "finding"), counted(files, "file"));
  if (const std::int64_t held = count_state(result, FixState::held_back); held > 0) {
    text += fmt::format("; {} more with --unsafe-fixes", held);
  }
  print_note(text);
  for (const FixRecord& record : result.records) {
    if (record.state == FixState::rolled_back) {
      print_note(
          fmt::format("{}: {}: fix taken back: {}", place_of(record), record.rule, record.reason));
    } else if (record.state == FixState::shown && arguments.verbose && !record.reason.empty()) {
      print_note(
          fmt::format("{}: {}: fix by hand: {}", place_of(record), record.rule, record.reason));
    }
  }
}

int print_diff(const FixResult& result) {
  std::string text;
  for (const FixedText& file : result.texts) {
    text += unified_diff(file.path, file.before, file.after);
  }
  // A terminal must not be driven by what a config contains; a file or pipe gets the exact bytes.
  if (output_is_terminal()) {
    std::string shown;
    for (const std::string_view line : split(text, '\n')) {
      shown += escape_for_display(line) + "\n";
    }
    if (!shown.empty()) shown.pop_back();
    text = std::move(shown);
  }
  if (auto written = write_results({}, text); !written) {
    print_error(written.error());
    return kUsage;
  }
  return result.texts.empty() ? kClean : kFindings;
}

/// The fixed text of standard input, byte for byte.
int print_fixed_input(const Arguments& arguments, const SessionView& session,
                      const FixResult& result) {
  const std::optional<std::string> path = standard_input_path(arguments);
  const Buffer* input = path ? session.buffer(*path) : nullptr;
  if (input == nullptr) return kClean;
  std::string_view text = input->text;
  for (const FixedText& file : result.texts) {
    if (file.path == path) text = file.after;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kClean;
  print_error("cannot write the fixed text to standard output");
  return kUsage;
}

/// Writes the changed files; the number of those that could not be.
std::int64_t write_files(const Arguments& arguments, const FixResult& result) {
  std::int64_t failures = 0;
  const std::optional<std::string> input = standard_input_path(arguments);
  for (const FixedText& file : result.texts) {
    if (file.path == input) continue;
    const FixWrite write{file.path, file.before, file.after, arguments.follow_symlinks};
    if (auto written = write_fixed(write, arguments.paths); !written) {
      print_error(written.error());
      ++failures;
    }
  }
  return failures;
}

}  // namespace

FixedRun run_fixes(const Arguments& arguments, const SessionView& session,
                   const LintRequest& request) {
  FixResult result = fix(session, request, {.unsafe = arguments.unsafe_fixes});
  const auto files = static_cast<std::int64_t>(result.texts.size());
  if (arguments.fixes == FixMode::diff) {
    const int code = print_diff(result);
    print_account(result, arguments, files);
    return {std::move(result.lint), code};
  }
  const std::int64_t failures = write_files(arguments, result);
  const int printed = print_fixed_input(arguments, session, result);
  if (failures == 0) {
    print_account(result, arguments, files);
    return {std::move(result.lint), printed};
  }
  print_note(fmt::format("{} of {} to fix could not be written", failures, counted(files, "file")));
  return {lint(session, request), kUsage};
}

}  // namespace gpulint::cli
