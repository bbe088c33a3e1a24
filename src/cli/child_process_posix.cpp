#include "base/platform.h"
#include "cli/child_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace gpulint::cli {
namespace {

/// One end of a pipe, closed with its holder.
struct End {
  int number = -1;
  End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { reset(); }
  void reset() {
    if (number >= 0) close(std::exchange(number, -1));
  }
};

bool open_ends(End& read, End& write) {
  int ends[2] = {-1, -1};
  if (!open_pipe(ends)) return false;
  read.number = ends[0];
  write.number = ends[1];
  return true;
}

Failure cannot_start(const std::string& program, int code) {
  if (code == ENOENT) {
    return fail(fmt::format("{} was not found; install it or put it on PATH", program));
  }
  return fail(fmt::format("{} cannot be started: {}", program, std::strerror(code)));
}

/// The environment with `own` in the place of what it replaces.
std::vector<std::string> merged_environment(const std::vector<std::string>& own) {
  std::vector<std::string> variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const bool replaced = std::any_of(own.begin(), own.end(), [&](const std::string& mine) {
      return variable.starts_with(std::string_view(mine).substr(0, mine.find('=') + 1));
    });
    if (!replaced) variables.emplace_back(variable);
  }
  for (const std::string& mine : own) {
    if (!mine.ends_with('=')) variables.push_back(mine);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Appends what is there; false at the end of the stream.
bool take(int end, std::string& text) {
  std::array<char, 1 << 14> chunk{};
  ssize_t got = 0;
  do {
    got = ::read(end, chunk.data(), chunk.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  text.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

}  // namespace

struct ChildProcess::System {
  pid_t child = -1;
  End in;
  End out;
  End err;
};

ChildProcess::ChildProcess(std::unique_ptr<System> system) : system_(std::move(system)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() {
  if (system_ == nullptr || system_->child < 0) return;
  kill();
  wait();
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const std::vector<std::string>& environment,
                                         const Pipes& pipes) {
  auto system = std::make_unique<System>();
  End in;
  End out;
  End err;
  if ((pipes.in && !open_ends(in, system->in)) || (pipes.out && !open_ends(system->out, out)) ||
      (pipes.err && !open_ends(system->err, err))) {
    return cannot_start(words.front(), errno);
  }
  std::vector<std::string> arguments = words;
  std::vector<std::string> variables = merged_environment(environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::array<int, 3> ends{in.number, out.number, err.number};
  for (int stream = 0; stream < 3; ++stream) {
    const int end = ends[static_cast<std::size_t>(stream)];
    if (end >= 0) {
      posix_spawn_file_actions_adddup2(&actions, end, stream);
    } else {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
    }
  }
  // gpulint ignores SIGPIPE; a child that inherits that would not die with its reader.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int code = posix_spawnp(&system->child, words.front().c_str(), &actions, &attributes,
                                argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) {
    system->child = -1;
    return cannot_start(words.front(), code);
  }
  return ChildProcess(std::move(system));
}

bool ChildProcess::write(std::string_view text) {
  return ::write(system_->in.number, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool ChildProcess::read(std::string& text) { return take(system_->out.number, text); }

bool ChildProcess::drain(std::string& out, std::size_t most_out, std::string& err,
                         std::size_t most_err) {
  End& first = system_->out;
  End& second = system_->err;
  while (first.number >= 0 || second.number >= 0) {
    std::array<pollfd, 2> waiting{{{first.number, POLLIN, 0}, {second.number, POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return true;
    if (waiting[0].revents != 0 && !take(first.number, out)) first.reset();
    if (waiting[1].revents != 0 && !take(second.number, err)) second.reset();
    if (out.size() > most_out || err.size() > most_err) return false;
  }
  return true;
}

void ChildProcess::kill() { ::kill(system_->child, SIGKILL); }

int ChildProcess::wait() {
  system_->in.reset();
  system_->out.reset();
  system_->err.reset();
  int status = 0;
  while (waitpid(system_->child, &status, 0) < 0 && errno == EINTR) {
  }
  system_->child = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace gpulint::cli
