#include "cli/output.h"

#include "base/platform.h"
#include "base/text.h"
#include "cli/ci.h"
#include "report/log_text.h"
#include "report/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace gpulint::cli {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kMinWidth = 40;
constexpr int kMaxWidth = 200;

Failure cannot_write(const OutputTarget& target, int code) {
  return fail(fmt::format("cannot write results to {}: {}",
                          target.path.empty() ? "standard output" : target.path,
                          std::strerror(code)));
}

bool put(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size();
}

/// What goes to the log of a CI system must not command its runner.
std::string for_the_log(std::string_view text, Syntax syntax) {
  return log_is_executed() ? safe_in_log(text, syntax) : std::string(text);
}

void print_lines(std::string_view label, std::string_view text) {
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines += fmt::format("{}: {}\n", label, escape_for_display(line));
  }
  put(stderr, for_the_log(lines, Syntax::plain));
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_color(ColorChoice choice, const OutputTarget& target) {
  switch (choice) {
    case ColorChoice::always:
      return true;
    case ColorChoice::never:
      return false;
    case ColorChoice::automatic:
      break;
  }
  if (!target.path.empty() || is_set("NO_COLOR")) return false;
  if (const char* forced = std::getenv("FORCE_COLOR"); forced != nullptr && *forced != '\0') {
    return std::strcmp(forced, "0") != 0 && std::strcmp(forced, "false") != 0;
  }
  return terminal_has_colors();
}

/// Columns of the terminal; COLUMNS speaks where there is none.
std::optional<int> stated_width() {
  std::optional<int> columns = terminal_width();
  if (!columns) {
    if (const char* stated = std::getenv("COLUMNS")) columns = std::atoi(stated);
  }
  if (!columns || *columns <= 0) return std::nullopt;
  return std::clamp(*columns, kMinWidth, kMaxWidth);
}

}  // namespace

Result<void> write_results(const OutputTarget& target, std::string_view text) {
  if (target.path.empty()) {
    errno = 0;
    const bool written =
        put(stdout, for_the_log(text, target.format->syntax)) && std::fflush(stdout) == 0;
    if (written || errno == EPIPE) return {};
    return cannot_write(target, errno);
  }
  std::FILE* file = open_file(target.path, "wb");
  if (file == nullptr) return cannot_write(target, errno);
  errno = 0;
  const bool written = put(file, text);
  const int write_error = errno;
  if (std::fclose(file) != 0) return cannot_write(target, errno);
  if (!written) return cannot_write(target, write_error);
  return {};
}

void print_error(std::string_view text) { print_lines("error", text); }
void print_error(const Error& error) { print_error(error.to_string()); }
void print_note(std::string_view text) { print_lines("note", text); }

int help_width() { return stated_width().value_or(kDefaultWidth); }

std::string for_people(std::string_view text, const OutputTarget& target) {
  const bool read_by_people = target.format == &default_format() && target.path.empty();
  const std::optional<int> width = stated_width();
  return read_by_people && width ? wrap_lines(text, *width) : std::string(text);
}

ReportOptions report_options(const Arguments& arguments, const OutputTarget& target) {
  ReportOptions options{.color = wants_color(arguments.color, target),
                        .verbose = arguments.verbose,
                        .quiet = arguments.quiet,
                        .statistics = arguments.statistics,
                        .unread = arguments.unread,
                        .why = arguments.why,
                        .width = stated_width().value_or(kDefaultWidth)};
  if (arguments.explain_silence) options.explain_silence = *arguments.explain_silence;
  return options;
}

bool write_outputs(const Arguments& arguments, const Render& render) {
  bool all = true;
  for (const OutputTarget& target : arguments.outputs) {
    const std::string text = render(*target.format, report_options(arguments, target));
    if (auto written = write_results(target, for_people(text, target)); !written) {
      print_error(written.error());
      all = false;
    }
  }
  return all;
}

Result<std::string> read_standard_input(std::size_t limit) {
  std::string text;
  std::string chunk(std::size_t{64} << 10, '\0');
  while (text.size() <= limit) {
    const auto got = read(STDIN_FILENO, chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(fmt::format("cannot read standard input: {}", std::strerror(errno)));
    }
    if (got == 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(got));
  }
  if (text.size() > limit + 1) text.resize(limit + 1);
  return text;
}

}  // namespace gpulint::cli
