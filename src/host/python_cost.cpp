#include "host/python_cost.h"

#include "base/platform.h"
#include "base/text.h"
#include "host/library.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpulint::probe {
namespace {

/// Isolated (-I): nothing of the working directory, the user's folder or PYTHON* is imported.
constexpr const char* kScript = R"(
import os, time
def fork_once():
    r, w = os.pipe()
    t = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.write(w, b"x")
        os._exit(0)
    os.read(r, 1)
    t = time.perf_counter() - t
    os.waitpid(child, 0)
    os.close(r)
    os.close(w)
    return t
def forks(name):
    print(name, *[fork_once() for _ in range(15)], flush=True)
forks("fork")
t = time.perf_counter()
try:
    import torch
except Exception as error:
    print("no_torch", type(error).__name__, flush=True)
else:
    print("torch", time.perf_counter() - t, flush=True)
    forks("fork_torch")
)";

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? path : std::string(real.get());
}

/// A virtual environment's python is a link out of it; its folder decides.
bool lies_inside(const std::string& program, const std::string& folder) {
  return is_inside(real_path(std::string(parent_path(program))), folder) ||
         is_inside(real_path(program), folder);
}

[[noreturn]] void become_python(const std::string& python, const char* script, int output) {
  end_with_parent();
  dup2(output, STDOUT_FILENO);
  if (chdir("/") != 0) _exit(127);
  execl(python.c_str(), python.c_str(), "-I", "-c", script, static_cast<char*>(nullptr));
  _exit(127);
}

/// Runs a script and calls `take` with each line it prints; the exit status, -1 = it did not run.
template <class Take>
int run_python(const std::string& python, const char* script, Take take) {
  int ends[2];
  if (!open_pipe(ends)) return -1;
  const pid_t child = fork();
  if (child == 0) become_python(python, script, ends[1]);
  close(ends[1]);
  constexpr std::size_t kMostOutput = std::size_t{16} << 10;
  std::string text;
  char chunk[1024];
  for (ssize_t got = 1; child > 0 && got != 0 && text.size() < kMostOutput;) {
    got = read(ends[0], chunk, sizeof chunk);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(chunk, static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      take(std::string_view(text).substr(0, end));
      text.erase(0, end + 1);
    }
  }
  close(ends[0]);
  int status = 0;
  if (child <= 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void measure_start(const std::string& python, const PartWriter& writer) {
  constexpr int kStarts = 7;
  std::vector<double> seconds;
  for (int i = 0; i < kStarts; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (run_python(python, "pass", [](std::string_view) {}) != 0) {
      return writer.missing(name_of(FigureKind::python_start), python + " does not start");
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds.push_back(took.count());
  }
  writer.figure(figure_of(FigureKind::python_start, seconds, 1, python + " -I -c pass"));
}

/// Of a line behind its first word, in seconds; empty where one is no time.
std::vector<double> times_in(const std::vector<std::string_view>& words) {
  constexpr double kMost = 3600;
  std::vector<double> times;
  for (std::size_t i = 1; i < words.size(); ++i) {
    double value = 0;
    const char* const last = words[i].data() + words[i].size();
    const auto [end, error] = std::from_chars(words[i].data(), last, value);
    const bool good = error == std::errc{} && end == last && value > 0 && value < kMost;
    if (!good) return {};
    times.push_back(value);
  }
  return times;
}

}  // namespace

PythonChoice find_python(const std::string& named, const std::string& virtual_env,
                         std::string_view search_path, const std::string& linted_folder) {
  if (!named.empty()) {
    const std::string_view folder = parent_path(named);
    const std::string from = real_path(folder.empty() ? "." : std::string(folder));
    if (is_program(named)) return {join_path(from, file_name(named)), ""};
    return {"", named + " is not a program"};
  }
  std::vector<std::string> candidates;
  if (!virtual_env.empty()) candidates.push_back(join_path(virtual_env, "bin/python"));
  for (const std::string_view folder : split(search_path, ':')) {
    if (folder.starts_with('/')) candidates.push_back(join_path(folder, "python3"));
  }
  std::string refused;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with('/') || !is_program(candidate)) continue;
    if (!lies_inside(candidate, linted_folder)) return {candidate, ""};
    if (refused.empty()) refused = candidate;
  }
  if (refused.empty()) return {"", "no python3 was found, name one with --python"};
  return {"", refused + " lies inside the linted folder and is not started; name it with --python"};
}

bool read_python_line(std::string_view line, const PartWriter& writer) {
  const auto words = split(trim(line), ' ');
  if (words.front() == "no_torch" && words.size() == 2) {
    writer.missing(name_of(FigureKind::torch_import),
                   fmt::format("this python does not import it ({})", words[1]));
    return true;
  }
  const std::vector<double> times = times_in(words);
  if (times.empty()) return false;
  if (words.front() == "fork") {
    writer.figure(figure_of(FigureKind::python_fork, times, 1, "until the child's first byte"));
  } else if (words.front() == "fork_torch") {
    writer.figure(
        figure_of(FigureKind::python_fork, times, 1, "likewise, with torch imported before"));
  } else if (words.front() == "torch") {
    writer.figure(figure_of(FigureKind::torch_import, times, 1, "once, files cached as they were"));
  } else {
    return false;
  }
  return true;
}

void measure_python(const std::string& python, const std::string& why, const PartWriter& writer) {
  if (python.empty()) return writer.missing("python", why);
  measure_start(python, writer);
  const int status =
      run_python(python, kScript, [&](std::string_view line) { read_python_line(line, writer); });
  if (status != 0) writer.missing(name_of(FigureKind::python_fork), "the measuring script failed");
}

}  // namespace gpulint::probe
