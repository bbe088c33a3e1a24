#pragma once

#include "device/device_report.h"

#include <chrono>
#include <functional>
#include <string>

namespace gpulint::probe {

/// What a measuring process sent last, a line of its own, and why it ended before it was done; ""
/// where it was.
struct ChildEnd {
  std::string line;
  std::string why;
};
using SendLine = std::function<void(const std::string& line)>;
/// Runs `work` in a child process and keeps the last line it sent; what it returns is its last one.
ChildEnd run_lines_in_child(const std::function<std::string(const SendLine&)>& work,
                            std::chrono::milliseconds deadline);

/// Runs `work` in a child process and returns what it returned. A native driver may hang, crash or
/// be killed for memory; then the answer is Failed, and the child's end gives back everything it
/// held. What `work` had published by then is returned in place of Failed, cut off. The deadline
/// counts from the start to the first word, and again from there: a driver may take seconds to
/// start. SIGINT and SIGTERM are handed on to the child, which gives back what it holds, and then
/// end this process as ever. Call it from a single-threaded process.
using Publish = std::function<void(const DeviceReport&)>;
Outcome run_in_child(const std::function<Outcome(const Publish&)>& work,
                     std::chrono::milliseconds deadline);
Outcome run_in_child(const std::function<Outcome()>& work, std::chrono::milliseconds deadline);

}  // namespace gpulint::probe
