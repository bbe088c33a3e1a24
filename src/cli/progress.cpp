#include "cli/progress.h"

#include "report/style.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace gpulint::cli {
namespace {

using namespace std::chrono_literals;

bool somebody_looks_on() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) {
  if (wanted && somebody_looks_on()) thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void ProgressLine::show() {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return over_; };
  if (ended_.wait_for(lock, 1s, over)) return;
  while (!over_) {
    const std::string line = fmt::format("\r\x1b[K{} of {} files",
                                         with_thousands(static_cast<std::int64_t>(counts_.done)),
                                         with_thousands(static_cast<std::int64_t>(counts_.files)));
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    ended_.wait_for(lock, 200ms, over);
  }
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace gpulint::cli
