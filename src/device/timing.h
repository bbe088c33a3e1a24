#pragma once

#include "device/device_report.h"
#include "device/driver_session.h"
#include "device/timing_session.h"

#include <chrono>
#include <functional>
#include <string>

namespace gpulint::probe {

struct TimingPlan {
  std::chrono::steady_clock::time_point end;  // no further kind is begun after it
  bool share = false;  // beside other processes too; such rates are disturbed
  bool newest = true;  // with the instructions that only this generation has
  std::function<void(const DeviceReport&)> publish = [](const DeviceReport&) {};  // after each rate
  std::string root = {};  // where /sys lies; "" on a real machine
};

/// Times copies, launches and matrix products in the current context and adds what it found to
/// `report`: a rate of a kind, or in `not_timed` why there is none. The least needed ones come
/// last: tf32, fp8, the issue ceilings, the cost of a launch. All memory is given back.
void time_device(TimingSession& session, const NvmlSession& nvml, const TimingPlan& plan,
                 DeviceReport& report);

}  // namespace gpulint::probe
