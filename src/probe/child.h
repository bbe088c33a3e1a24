#pragma once

#include "probe/device_report.h"

#include <chrono>
#include <functional>

namespace gpulint::probe {

/// Runs `work` in a child process and returns what it returned. A native driver may hang, crash or
/// be killed for memory; then the answer is Failed, and the child's end gives back everything it
/// held. Call it from a single-threaded process.
Outcome run_in_child(const std::function<Outcome()>& work, std::chrono::milliseconds deadline);

}  // namespace gpulint::probe
