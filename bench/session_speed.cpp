// session_speed [--gpu ID] [--rounds N] [--json FOLDER] CONFIG...: what a request costs in a
// session that stays open, as an editor keeps one. Prints medians of CPU milliseconds as a Markdown
// table: the session is opened; the file is linted for the first time, again without a change, and
// as a buffer after each edit of one byte.
// --json: instead writes what a session that has linted all files says about each, N.json for the
// N-th, as `gpulint --output json` does; comparing both shows that nothing of one file reaches
// another. No test: times depend on the machine.

#include "cli/disk_reader.h"
#include "lint/lint.h"
#include "report/format.h"
#include "stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace gpulint;
using bench::Stopwatch;

struct Options {
  std::vector<std::string> configs;
  std::optional<std::string> gpu;
  std::string json_folder;
  int rounds = 21;
};

Options read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const bool has_value = i + 1 < count;
    if (word == "--gpu" && has_value) {
      options.gpu = arguments[++i];
    } else if (word == "--rounds" && has_value) {
      options.rounds = std::max(std::atoi(arguments[++i]), 1);
    } else if (word == "--json" && has_value) {
      options.json_folder = arguments[++i];
    } else {
      options.configs.emplace_back(word);
    }
  }
  return options;
}

Session open_session(const FileReader& disk) {
  auto session = Session::open(disk);
  if (!session) {
    fmt::print(stderr, "{}\n", session.error().to_string());
    std::exit(2);
  }
  return std::move(*session);
}

LintRequest request_for(const Options& options, const std::string& path) {
  LintRequest request{.paths = {path}};
  request.options.gpu = options.gpu;
  request.options.jobs = 1;
  return request;
}

void measure(const FileReader& disk, const Options& options, const std::string& path) {
  const LintRequest request = request_for(options, path);
  Stopwatch open, first, again, edited;
  for (int round = 0; round < options.rounds; ++round) {
    open.time([&] { open_session(disk); });
    Session session = open_session(disk);
    first.time([&] { lint(session, request); });
    again.time([&] { lint(session, request); });
    auto text = disk.read(path, request.options.limits.max_bytes);
    if (!text) continue;
    *text += '\n';
    session.set_buffer(path, std::move(*text));
    edited.time([&] { lint(session, request); });
  }
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", path, open.median(), first.median(),
             again.median(), edited.median());
}

void write_reports(const FileReader& disk, const Options& options) {
  const Session session = open_session(disk);
  for (const std::string& path : options.configs) lint(session, request_for(options, path));
  std::size_t number = 0;
  for (const std::string& path : options.configs) {
    std::ofstream file(fmt::format("{}/{}.json", options.json_folder, number++));
    const LintResult result = lint(session, request_for(options, path));
    file << find_format("json")->check({result, session.now().catalog(), {}, {}});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = read_options(count, arguments);
  if (options.configs.empty()) {
    fmt::print(stderr, "usage: session_speed [--gpu ID] [--rounds N] [--json FOLDER] CONFIG...\n");
    return 2;
  }
  const DiskReader disk;
  if (!options.json_folder.empty()) {
    write_reports(disk, options);
    return 0;
  }
  fmt::print("medians of {} rounds, CPU ms; {}\n\n", options.rounds,
             options.gpu ? "on " + *options.gpu : "no target");
  fmt::print("| config | open | first | again | after an edit |\n|---|---|---|---|---|\n");
  for (const std::string& path : options.configs) measure(disk, options, path);
  return 0;
}
