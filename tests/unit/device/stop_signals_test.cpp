#include "device/stop_signals.h"

#include "device/child.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

TEST_CASE("a signal is remembered while it is waited for, and the handlers before come back") {
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  {
    const StopSignals remembered;
    CHECK(stop_signal() == 0);
    std::raise(SIGTERM);
    CHECK(stop_signal() == SIGTERM);
  }
  struct sigaction after = {};
  sigaction(SIGTERM, nullptr, &after);
  const bool restored = after.sa_handler == before.sa_handler;
  CHECK(restored);
  const StopSignals again;
  CHECK(stop_signal() == 0);
}

/// Measures until it is told to stop; says so on `pipe`, 'r' when ready and 's' when told.
[[noreturn]] void measure_until_told(int pipe) {
  std::signal(SIGTERM, SIG_DFL);  // doctest reports signals, this process is to end by one
  run_in_child(
      [pipe]() -> Outcome {
        bool written = write(pipe, "r", 1) == 1;
        while (stop_signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        written = write(pipe, "s", 1) == 1 && written;
        return Failed{written ? "told" : "not heard"};
      },
      std::chrono::seconds{20});
  _exit(0);
}

TEST_CASE("a signal is handed to the child, which ends its work, and then ends this process") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t measuring = fork();
  REQUIRE(measuring >= 0);
  if (measuring == 0) measure_until_told(ends[1]);
  close(ends[1]);
  char said = 0;
  REQUIRE(read(ends[0], &said, 1) == 1);
  CHECK(said == 'r');
  kill(measuring, SIGTERM);  // this process alone, as a batch system does
  REQUIRE(read(ends[0], &said, 1) == 1);
  CHECK(said == 's');
  int status = 0;
  REQUIRE(waitpid(measuring, &status, 0) == measuring);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  close(ends[0]);
}

}  // namespace
}  // namespace gpulint::probe
