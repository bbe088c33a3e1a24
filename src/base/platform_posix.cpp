#include "base/platform.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace gpulint {

std::vector<std::string> command_line(int argc, const char* const* argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

void prepare_standard_streams() { std::signal(SIGPIPE, SIG_IGN); }

bool output_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool terminal_has_colors() {
  const char* terminal = std::getenv("TERM");
  return output_is_terminal() && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

std::optional<int> terminal_width() {
  winsize size{};
  if (!output_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

std::FILE* open_file(const std::string& path, const char* mode) {
  return std::fopen(path.c_str(), mode);
}

std::string working_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  return failed ? std::string() : folder.string();
}

bool path_exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

#ifdef __linux__

bool runs_elevated() { return getauxval(AT_SECURE) != 0; }

bool open_pipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void give_up_new_privileges() { prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

#else

bool runs_elevated() { return issetugid() != 0; }

// A program that another thread starts between the two calls inherits the ends.
bool open_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

void end_with_parent() {}

void give_up_new_privileges() {}

#endif

std::int64_t modification_time(const struct stat& status) {
  constexpr std::int64_t kSecond = 1'000'000'000;
#ifdef __APPLE__
  const timespec& time = status.st_mtimespec;
#else
  const timespec& time = status.st_mtim;
#endif
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

}  // namespace gpulint
