#include "device/child.h"

#include "base/platform.h"
#include "device/stop_signals.h"
#include "device/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// A report is about 1 KiB; more is not one of ours.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
/// A killed child whose driver call sits in the kernel cannot end; it is not waited for.
constexpr std::chrono::milliseconds kReapTime{500};
constexpr std::chrono::milliseconds kReapPause{1};
/// A signal may come just before poll: it is seen this much later.
constexpr std::chrono::milliseconds kLook{100};
/// What a measuring process that was told to stop has to give everything back.
constexpr std::chrono::milliseconds kStopTime{2000};

bool write_all(int pipe, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t put = write(pipe, text.data() + written, text.size() - written);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    written += static_cast<std::size_t>(put);
  }
  return true;
}

/// No core file with device memory in it, no output of the driver among ours, and no life after the
/// parent's. New privileges are given up once the driver has started (measure.cpp).
void confine() {
  end_with_parent();
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
  }
}

using Work = std::function<std::string(const SendLine&)>;

/// The last line counts.
bool send_line(int pipe, const std::string& line) { return write_all(pipe, line + "\n"); }

[[noreturn]] void be_child(const Work& work, int pipe) {
  int code = 1;
  try {
    confine();
    const SendLine send = [pipe](const std::string& line) { send_line(pipe, line); };
    code = send_line(pipe, work(send)) ? 0 : 1;
  } catch (...) {  // nothing may unwind into the parent's copy of the program
    code = 1;
  }
  _exit(code);
}

/// Of whole lines the last one, and what follows it.
void keep_last(std::string& text) {
  const auto end = text.rfind('\n');
  if (end == std::string::npos || end == 0) return;
  const auto before = text.rfind('\n', end - 1);
  if (before != std::string::npos) text.erase(0, before + 1);
}

enum class End : std::uint8_t { closed, deadline, too_long, error };

/// A signal to us is handed on to the child, which then has little time left.
End read_until(int pipe, pid_t child, std::chrono::milliseconds limit, std::string& text) {
  char chunk[4096];
  bool told = false;
  Clock::time_point deadline = Clock::now() + limit;
  while (true) {
    if (stop_signal() != 0 && !told) {
      kill(child, SIGTERM);
      deadline = std::min(deadline, Clock::now() + kStopTime);
      told = true;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return End::deadline;
    pollfd wait{pipe, POLLIN, 0};
    const auto pause = std::min<std::chrono::milliseconds::rep>(left, kLook.count());
    const int ready = poll(&wait, 1, static_cast<int>(pause));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return End::error;
    const ssize_t got = read(pipe, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return End::error;
    if (got == 0) return End::closed;
    if (text.empty() && !told) deadline = Clock::now() + limit;  // the driver has started
    text.append(chunk, static_cast<std::size_t>(got));
    keep_last(text);
    if (text.size() > kMostBytes) return End::too_long;
  }
}

/// The wait status, or -1 when the child did not end in time.
int reap(pid_t child) {
  const Clock::time_point deadline = Clock::now() + kReapTime;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if ((ended < 0 && errno != EINTR) || Clock::now() > deadline) return -1;
    std::this_thread::sleep_for(kReapPause);
  }
}

/// Why there is no whole report; "" when there is one.
std::string ending_of(End end, int status, std::chrono::milliseconds deadline) {
  switch (end) {
    case End::deadline:
      return fmt::format("the driver did not answer within {} ms", deadline.count());
    case End::too_long:
      return "the measuring process sent too much";
    case End::error:
      return "the measuring process could not be read";
    case End::closed:
      break;
  }
  if (status == -1 || !WIFSIGNALED(status)) return "";
  return fmt::format("the measuring process was ended by signal {} ({})", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
}

/// The whole line that was sent last, without its end.
ChildEnd end_of(std::string why, std::string_view text) {
  const auto end = text.find('\n');
  // What ended well may have been sent without a whole line: that is nonsense, and its reader says
  // so.
  if (end == std::string_view::npos && !why.empty()) return {"", std::move(why)};
  return {std::string(text.substr(0, end)), std::move(why)};
}

ChildEnd run_child(const Work& work, std::chrono::milliseconds deadline) {
  int ends[2];
  if (!open_pipe(ends)) {
    return {"", fmt::format("no pipe to a measuring process: {}", std::strerror(errno))};
  }
  const pid_t child = fork();
  if (child < 0) {
    const int code = errno;
    close(ends[0]);
    close(ends[1]);
    return {"", fmt::format("no measuring process: {}", std::strerror(code))};
  }
  if (child == 0) {
    close(ends[0]);
    be_child(work, ends[1]);
  }
  close(ends[1]);
  std::string text;
  const End end = read_until(ends[0], child, deadline, text);
  close(ends[0]);
  if (end != End::closed) kill(child, SIGKILL);
  return end_of(ending_of(end, reap(child), deadline), text);
}

}  // namespace

ChildEnd run_lines_in_child(const std::function<std::string(const SendLine&)>& work,
                            std::chrono::milliseconds deadline) {
  ChildEnd end;
  {
    const StopSignals remembered;  // inherited by the child, which gives its memory back first
    end = run_child(work, deadline);
  }
  if (const int signal = stop_signal(); signal != 0) std::raise(signal);
  return end;
}

Outcome run_in_child(const std::function<Outcome(const Publish&)>& work,
                     std::chrono::milliseconds deadline) {
  ChildEnd end = run_lines_in_child(
      [&work](const SendLine& send) {
        return write_wire(work([&send](const DeviceReport& report) { send(write_wire(report)); }));
      },
      deadline);
  if (end.why.empty()) return read_wire(end.line);
  Outcome outcome = read_wire(end.line);
  auto* report = std::get_if<DeviceReport>(&outcome);
  if (report == nullptr) return Failed{std::move(end.why)};
  report->cut_off = std::move(end.why);
  return outcome;
}

Outcome run_in_child(const std::function<Outcome()>& work, std::chrono::milliseconds deadline) {
  return run_in_child([&work](const Publish&) { return work(); }, deadline);
}

}  // namespace gpulint::probe
