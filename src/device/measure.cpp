#include "device/measure.h"

#include "device/batch_search.h"
#include "device/driver_session.h"
#include "device/footprint_replay.h"
#include "device/identity.h"
#include "device/step_timing.h"
#include "device/stop_signals.h"
#include "device/sustain.h"
#include "device/timing.h"
#include "device/trials.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace gpulint::probe {
namespace {

/// Free memory is read this often with this pause, so that another process that grows is seen.
constexpr int kFreeReadings = 3;
constexpr std::chrono::milliseconds kReadingPause{5};

struct FreeReadings {
  Bytes first;
  Bytes last;
  Bytes spread;
};

std::optional<FreeReadings> read_free(const NvmlSession& nvml) {
  std::optional<FreeReadings> readings;
  Bytes low;
  Bytes high;
  for (int i = 0; i < kFreeReadings; ++i) {
    if (i > 0) std::this_thread::sleep_for(kReadingPause);
    const std::optional<MemoryReading> memory = nvml.memory();
    if (!memory) return std::nullopt;
    const Bytes free = bytes_of(memory->free);
    if (!readings) {
      readings = FreeReadings{free, free, {}};
      low = high = free;
    }
    readings->last = free;
    low = std::min(low, free);
    high = std::max(high, free);
  }
  readings->spread = high - low;
  return readings;
}

/// `context` is kept: making one takes up to a second and a half.
bool measure_context(const CudaApi& cuda, Calls& calls, CudaDevice device, const NvmlSession& nvml,
                     std::optional<PrimaryContext>& context, DeviceReport& report) {
  const std::optional<FreeReadings> before = report.mig ? std::nullopt : read_free(nvml);
  context.emplace(cuda, device, calls);
  if (!context->ready()) return false;
  std::size_t free = 0;
  std::size_t total = 0;
  if (!calls.ok(cuda.memory_info(&free, &total), "cuMemGetInfo_v2")) return false;
  report.cuda_free = bytes_of(free);
  const std::optional<FreeReadings> after = report.mig ? std::nullopt : read_free(nvml);
  if (!before || !after) return true;
  report.free_before_context = before->last;
  report.free_after_context = after->first;
  report.context = before->last - after->first;
  report.drift = before->spread + after->spread;
  return true;
}

std::chrono::milliseconds time_left(const Assignment& assignment) {
  if (stop_signal() != 0) return std::chrono::milliseconds{0};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      assignment.end - std::chrono::steady_clock::now());
  return std::clamp(left, std::chrono::milliseconds{0}, assignment.rate_budget);
}

/// A config's own step is worth more than the last rates.
std::chrono::steady_clock::time_point end_of_rates(const Assignment& assignment,
                                                   const ConfigPlan& plan) {
  const auto left = time_left(assignment);
  return std::chrono::steady_clock::now() +
         (plan.step ? std::max(left - assignment.step_budget, decltype(left){0}) : left);
}

/// Everything that starts kernels.
void run_kernels(const CudaApi& cuda, const MachineFacts& machine, const NvmlSession& nvml,
                 const Assignment& assignment, const ConfigPlan& plan, DeviceReport& report) {
  const auto publish = [&assignment](const DeviceReport& known) {
    if (assignment.publish) assignment.publish(known);
  };
  TimingSession session(cuda, machine, report, assignment);
  const auto is_sound = [&session, &report] {
    report.broken_by = session.calls().broken_by();
    return report.broken_by.empty();
  };
  if (assignment.trials_only) {
    try_kernels(session, report);
    is_sound();
    return;
  }
  time_device(session, nvml,
              {end_of_rates(assignment, plan), assignment.share, assignment.newest_products,
               publish, assignment.root},
              report);
  publish(report);
  if (is_sound() && plan.step) time_step(session, nvml, *plan.step, assignment, report);
  publish(report);
  if (is_sound() && assignment.sustain.count() > 0) {
    sustain(session, nvml, assignment.sustain, report);
    is_sound();
  }
}

}  // namespace

Outcome measure(const Driver& driver, const MachineFacts& machine, const Assignment& asked) {
  const CudaApi& cuda = driver.cuda;
  Assignment assignment = asked;
  const auto publish = [&assignment](const DeviceReport& known) {
    if (assignment.publish) assignment.publish(known);
  };
  const auto began = std::chrono::steady_clock::now();
  Calls calls(cuda, machine);
  DeviceReport report;
  report.driver_library = driver.cuda_path;
  if (!machine.granted_part.empty()) {
    report.limited_by = "MPS grants a part of the card: " + machine.granted_part;
    report.disturbed_by = report.limited_by;
  }
  CudaDevice device = 0;
  if (!start_driver(cuda, calls, report)) return calls.failure();
  if (!calls.ok(cuda.device_at(&device, assignment.turn % report.visible_devices), "cuDeviceGet")) {
    return calls.failure();
  }
  NvmlSession nvml(driver.nvml);
  if (!identify(cuda, calls, device, nvml, report)) return calls.failure();
  assignment.end += std::chrono::steady_clock::now() - began;
  if (assignment.identity_only) return report;
  publish(report);
  std::optional<PrimaryContext> context;
  if (!measure_context(cuda, calls, device, nvml, context, report)) return calls.failure();
  publish(report);
  const ConfigPlan plan = assignment.plan ? assignment.plan(report) : ConfigPlan{};
  if (plan.footprint) {
    report.footprint =
        play_footprint(cuda, machine, nvml, device, report, *plan.footprint, assignment);
    publish(report);
  }
  if (plan.at_batch) {
    const auto play = [&](std::int64_t batch) {
      const auto footprint = plan.at_batch(batch);
      if (!footprint) {
        FootprintReport unknown;
        unknown.why = "its footprint is not known";
        return unknown;
      }
      return play_footprint(cuda, machine, nvml, device, report, *footprint, assignment);
    };
    report.batch = find_batch(plan.first_batch, play, assignment.end);
    publish(report);
  }
  if (!assignment.timed) {
    report.not_timed.emplace_back("rates: not asked for");
  } else if (can_time(cuda)) {
    run_kernels(cuda, machine, nvml, assignment, plan, report);
  } else {
    report.not_timed.emplace_back("rates: the driver lacks a function");
  }
  report.pcie = nvml.pcie_link();  // with a context the link is out of its idle state
  return report;
}

}  // namespace gpulint::probe
