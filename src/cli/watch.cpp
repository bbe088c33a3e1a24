// `gpulint watch`: `check` again whenever something it read has changed. It asks the disk a few
// times a second: notifications differ between systems and are lost on network drives, where many
// training configs lie.

#include "base/platform.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "cli/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpulint::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto kPause = 300ms;

/// What a change of a file or folder changes: its time and size; both unset where there is none.
using Looks = std::pair<std::filesystem::file_time_type, std::uintmax_t>;

Looks looks_of(const std::string& path) {
  std::error_code none;
  Looks looks{};
  const std::filesystem::path file(std::u8string(path.begin(), path.end()));
  looks.first = std::filesystem::last_write_time(file, none);
  if (none) return {};
  looks.second = std::filesystem::file_size(file, none);
  if (none) looks.second = 0;  // a folder
  return looks;
}

using Snapshot = std::map<std::string, Looks>;

/// The disk, and a list of all that was asked of it.
class NotingReader : public FileReader {
 public:
  explicit NotingReader(const FileReader& disk) : disk_(disk) {}

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    note(path);
    return disk_.read(path, limit);
  }
  FileKind kind(const std::string& path) const override {
    note(path);
    return disk_.kind(path);
  }
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    note(directory);
    return disk_.list(directory);
  }
  std::string canonical(const std::string& path) const override { return disk_.canonical(path); }

  /// How everything looked when it was first asked for.
  Snapshot taken() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  void note(const std::string& path) const {
    const Looks looks = looks_of(path);
    const std::lock_guard lock(mutex_);
    seen_.emplace(path, looks);
  }

  const FileReader& disk_;
  mutable std::mutex mutex_;
  mutable Snapshot seen_;
};

bool has_changed(const Snapshot& snapshot) {
  for (const auto& [path, looks] : snapshot) {
    if (looks_of(path) != looks) return true;
  }
  return false;
}

void clear_screen() {
  if (!output_is_terminal()) return;
  std::fputs("\x1b[H\x1b[2J\x1b[3J", stdout);
}

}  // namespace

int watch(const Arguments& arguments, const FileReader& disk, Session& session) {
  if (standard_input_path(arguments)) {
    print_error("watch: standard input does not change; name files or folders");
    return kUsage;
  }
  const SessionView view = session.now();
  NotingReader noting(disk);
  SessionOptions options;
  options.data_folder = arguments.data;
  while (true) {
    auto fresh = Session::open(noting, options);
    if (!fresh) return report_internal_error(fresh.error().to_string().c_str());
    const std::span<const Gpu> measured = view.measured();
    fresh->set_measured({measured.begin(), measured.end()});
    clear_screen();
    for (const Error& error : fresh->errors()) print_error(error);
    check(arguments, noting, *fresh);
    const Snapshot snapshot = noting.taken();
    if (isatty(STDERR_FILENO) != 0 && !arguments.quiet) {
      print_note("waiting for a change; Ctrl-C ends");
    }
    while (!has_changed(snapshot)) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace gpulint::cli
