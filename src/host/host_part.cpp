#include "host/host_part.h"

#include "base/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

using PartClock = std::chrono::steady_clock;

/// A part sends a few hundred bytes a figure; more is not one of ours.
constexpr std::size_t kMostLine = std::size_t{64} << 10;
/// A killed process that waits for a dead file system cannot end; it is not waited for.
constexpr std::chrono::milliseconds kPartReapTime{300};

/// No new privileges, no core file, no output of a library among ours, no life after the parent's.
void confine_part() {
  end_with_parent();
  give_up_new_privileges();
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
}

[[noreturn]] void be_part(const HostPart& part, int pipe) {
  try {
    confine_part();
    const PartWriter writer(pipe);
    part.work(writer);
    writer.done();
  } catch (...) {  // nothing may unwind into the parent's copy of the program
    _exit(1);
  }
  _exit(0);
}

enum class PartEnd : std::uint8_t { done, closed, limit, nonsense };

/// Takes the whole lines off the front of `text`.
PartEnd take_lines(std::string& text, HostReport& report) {
  bool done = false;
  std::size_t start = 0;
  for (auto end = text.find('\n'); end != std::string::npos && !done;
       end = text.find('\n', start)) {
    const std::string_view line(text.data() + start, end - start);
    if (!read_part_line(line, report, done)) return PartEnd::nonsense;
    start = end + 1;
  }
  text.erase(0, start);
  if (done) return PartEnd::done;
  return text.size() > kMostLine ? PartEnd::nonsense : PartEnd::closed;
}

PartEnd read_part(int pipe, PartClock::time_point deadline, HostReport& report) {
  std::string text;
  char chunk[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - PartClock::now()).count();
    if (left <= 0) return PartEnd::limit;
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<decltype(left)>(left, 1000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ready < 0 ? -1 : read(pipe, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return PartEnd::closed;
    text.append(chunk, static_cast<std::size_t>(got));
    if (const PartEnd end = take_lines(text, report); end != PartEnd::closed) return end;
  }
}

/// The wait status, or -1 when the process did not end in time.
int reap_part(pid_t child) {
  const PartClock::time_point deadline = PartClock::now() + kPartReapTime;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if ((ended < 0 && errno != EINTR) || PartClock::now() > deadline) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// What is said of a part that did not come to its end; "" for one that did.
std::string ending_of(PartEnd end, int status, std::chrono::milliseconds limit) {
  switch (end) {
    case PartEnd::done:
      return "";
    case PartEnd::limit:
      return fmt::format("ended after {} ms, what follows is not measured", limit.count());
    case PartEnd::nonsense:
      return "its process sent something other than a report";
    case PartEnd::closed:
      break;
  }
  if (status != -1 && WIFSIGNALED(status)) {
    return fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return "its process ended early";
}

}  // namespace

void run_part(const HostPart& part, HostReport& report) {
  const auto say = [&](const std::string& why) {
    if (!why.empty()) report.not_measured.push_back(part.name + ": " + why);
  };
  int ends[2];
  if (!open_pipe(ends)) return say(std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) {
    const int code = errno;
    close(ends[0]);
    close(ends[1]);
    return say(std::strerror(code));
  }
  if (child == 0) {
    close(ends[0]);
    be_part(part, ends[1]);
  }
  close(ends[1]);
  const PartEnd end = read_part(ends[0], PartClock::now() + part.limit, report);
  close(ends[0]);
  // One that is closed ends by itself, and how it ends is worth knowing.
  if (end == PartEnd::limit || end == PartEnd::nonsense) kill(child, SIGKILL);
  const int status = reap_part(child);
  if (status == -1) kill(child, SIGKILL);
  say(ending_of(end, status, part.limit));
}

}  // namespace gpulint::probe
