#include "cli/git_process.h"

#include "base/platform.h"
#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace gpulint::cli {
namespace {

/// Settings of a repository that would start a program or change what is printed.
constexpr std::array<const char*, 15> kFixedArguments{"git",
                                                      "--no-pager",
                                                      "--literal-pathspecs",
                                                      "--no-optional-locks",
                                                      "-c",
                                                      "core.fsmonitor=false",
                                                      "-c",
                                                      "core.hooksPath=/dev/null",
                                                      "-c",
                                                      "core.quotePath=false",
                                                      "-c",
                                                      "color.ui=false",
                                                      "-c",
                                                      "protocol.allow=never",
                                                      "-C"};

constexpr std::array<std::string_view, 4> kEnvironment{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
                                                       "GIT_NO_LAZY_FETCH=1", "GIT_EXTERNAL_DIFF="};

constexpr std::size_t kMaxErrorBytes = 64 << 10;

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

struct Pipe {
  End read;
  End write;
  bool open() {
    int ends[2] = {-1, -1};
    if (!open_pipe(ends)) return false;
    read.number = ends[0];
    write.number = ends[1];
    return true;
  }
};

Failure cannot_start(int code) {
  if (code == ENOENT) return fail("git was not found; install it or put it on PATH");
  return fail(fmt::format("git cannot be started: {}", std::strerror(code)));
}

/// The environment with ours in the place of what it replaces; GIT_EXTERNAL_DIFF is left out.
std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const bool replaced =
        std::any_of(kEnvironment.begin(), kEnvironment.end(), [&](std::string_view own) {
          return variable.starts_with(own.substr(0, own.find('=') + 1));
        });
    if (!replaced) variables.emplace_back(variable);
  }
  for (const std::string_view own : kEnvironment) {
    if (!own.ends_with('=')) variables.emplace_back(own);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Starts git with the given ends as its standard streams; -1 stands for /dev/null.
Result<pid_t> spawn_git(const std::string& directory, const std::vector<std::string>& arguments,
                        int in, int out, int err) {
  std::vector<std::string> words(kFixedArguments.begin(), kFixedArguments.end());
  words.push_back(directory);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment();
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::array<int, 3> ends{in, out, err};
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
  pid_t child = -1;
  const int code = posix_spawnp(&child, "git", &actions, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) return cannot_start(code);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Appends what is there; false at the end of the stream.
bool take(int end, std::string& text) {
  std::array<char, 1 << 14> chunk{};
  ssize_t got = 0;
  do {
    got = read(end, chunk.data(), chunk.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  text.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

/// Reads both streams to their ends; false when the first passes `limit`.
bool drain(End& out, End& err, GitOutput& output, std::size_t limit) {
  while (out.number >= 0 || err.number >= 0) {
    std::array<pollfd, 2> waiting{{{out.number, POLLIN, 0}, {err.number, POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return true;
    if (waiting[0].revents != 0 && !take(out.number, output.out)) out.reset();
    if (waiting[1].revents != 0 && !take(err.number, output.err)) err.reset();
    if (output.out.size() > limit || output.err.size() > kMaxErrorBytes) return false;
  }
  return true;
}

}  // namespace

Result<GitOutput> run_git(const std::string& directory, const std::vector<std::string>& arguments,
                          std::size_t limit) {
  Pipe out;
  Pipe err;
  if (!out.open() || !err.open()) return cannot_start(errno);
  const auto child = spawn_git(directory, arguments, -1, out.write.number, err.write.number);
  if (!child) return fail(child.error());
  out.write.reset();
  err.write.reset();
  GitOutput output;
  const bool complete = drain(out.read, err.read, output, limit);
  if (!complete) kill(*child, SIGKILL);
  output.code = wait_for(*child);
  output.err = trim(output.err);
  if (!complete) {
    return fail(Error{
        .message = fmt::format("git {} printed more than {}; name fewer files", arguments.front(),
                               format_binary(Bytes::of(static_cast<std::int64_t>(limit)))),
        .limit = true});
  }
  return output;
}

Result<void> GitBatch::start() {
  Pipe in;
  Pipe out;
  if (!in.open() || !out.open()) return cannot_start(errno);
  const auto child =
      spawn_git(directory_, {"cat-file", "--batch"}, in.read.number, out.write.number, -1);
  if (!child) return fail(child.error());
  child_ = *child;
  to_child_ = std::exchange(in.write.number, -1);
  from_child_ = std::exchange(out.read.number, -1);
  return {};
}

void GitBatch::stop() {
  if (child_ < 0) return;
  close(to_child_);
  close(from_child_);
  kill(child_, SIGTERM);
  wait_for(child_);
  child_ = -1;
  buffered_.clear();
}

bool GitBatch::read_line(std::string& line) {
  std::size_t end = 0;
  while ((end = buffered_.find('\n')) == std::string::npos) {
    if (!take(from_child_, buffered_)) return false;
  }
  line = buffered_.substr(0, end);
  buffered_.erase(0, end + 1);
  return true;
}

bool GitBatch::read_exactly(std::size_t size, std::string& text) {
  while (buffered_.size() < size) {
    if (!take(from_child_, buffered_)) return false;
  }
  text = buffered_.substr(0, size);
  buffered_.erase(0, size);
  return true;
}

Result<std::string> GitBatch::blob(const std::string& object, std::size_t limit) {
  if (child_ < 0) {
    if (auto started = start(); !started) return fail(started.error());
  }
  const std::string request = object + "\n";
  std::string header;
  const bool sent =
      write(to_child_, request.data(), request.size()) == static_cast<ssize_t>(request.size());
  if (!sent || !read_line(header)) {
    stop();
    return fail("git stopped answering");
  }
  const std::vector<std::string_view> words = split(header, ' ');
  if (words.size() != 3 || words[1] != "blob") {
    return fail("its content is not in this clone; fetch it first");
  }
  std::size_t size = 0;
  for (const char c : words[2]) size = 10 * size + static_cast<std::size_t>(c - '0');
  if (size > limit) {
    stop();  // cheaper than reading what nobody wants
    return fail(
        Error{.message = fmt::format("is {}, and gpulint reads configs of at most {}; is this data "
                                     "rather than a config?",
                                     format_binary(Bytes::of(static_cast<std::int64_t>(size))),
                                     format_binary(Bytes::of(static_cast<std::int64_t>(limit)))),
              .limit = true});
  }
  std::string text;
  std::string line_end;
  if (!read_exactly(size, text) || !read_exactly(1, line_end)) {
    stop();
    return fail("git stopped answering");
  }
  return text;
}

}  // namespace gpulint::cli
