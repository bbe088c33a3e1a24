#pragma once

#include "device/device_report.h"
#include "memory/segment_events.h"
#include "time/step_replay.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::probe {

/// A footprint to play on the device.
struct FootprintPlan {
  SegmentTrace trace;
  /// What a training process takes beyond the trace and beyond the context it is played in.
  Bytes outside;
  std::string fallback;  // why the trace is native where the run asks for expandable segments
  /// On a device that nobody else uses nothing has to stay free: the driver says what the last
  /// block is.
  bool to_the_end = false;
};

/// What a config makes the measuring process try.
struct ConfigPlan {
  std::optional<FootprintPlan> footprint = {};
  std::optional<StepReplayPlan> step = {};  // whose work is timed
  /// The footprint at another batch, nullopt where it is not known; empty: no batch is looked for.
  std::function<std::optional<FootprintPlan>(std::int64_t batch)> at_batch = {};
  std::int64_t first_batch = 1;  // where the search begins
};

/// What the measuring process is asked for.
struct Assignment {
  int turn = 0;                             // of this process among the ranks of its node
  std::string root = {};                    // where /sys and /proc lie; "" on a real machine
  bool identity_only = false;               // nothing is allocated, filled or timed
  std::vector<std::string> libraries = {};  // paths of cuBLASLt that are safe to load, best first
  bool share = false;                       // the footprint is played beside other processes' work
  /// Called in the measuring process once the device is known (its identity, memory and context);
  /// empty: no config.
  std::function<ConfigPlan(const DeviceReport&)> plan = {};
  /// Called in the measuring process whenever more is known; empty: nobody waits for it.
  std::function<void(const DeviceReport&)> publish = {};
  bool timed = true;                // false: no rates and no step
  bool trials_only = false;         // everything is tried once and compared, nothing is timed
  bool newest_products = true;      // false: without the instructions that only this generation has
  std::chrono::seconds sustain{0};  // how long one product is run at the end; 0 = not
  std::vector<std::string> broken = {};         // kernels and libraries that broke a context before
  std::chrono::milliseconds rate_budget{6000};  // for all rates, and the step that is taken from it
  std::chrono::milliseconds step_budget{3000};  // for the replay of a step, taken from the rates
  /// From when on nothing new is begun; the parent's deadline comes later. The time the driver
  /// takes to start is added to it.
  std::chrono::steady_clock::time_point end =
      std::chrono::steady_clock::now() + std::chrono::seconds(9);
};

}  // namespace gpulint::probe
