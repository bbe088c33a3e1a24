#include "device/step_timing.h"

#include "device/device_copy.h"

#include <algorithm>

namespace gpulint::probe {
namespace {

/// A step has sixteen shapes for three seconds: fewer samples than of a rate.
constexpr SamplePlan kSamplePlan{
    .warm_up = Seconds{5e-3}, .least_sample = Seconds{1e-3}, .samples = 7};
constexpr std::int64_t kVectorBytes = 16;  // our copy moves so many at once
constexpr std::int64_t kLeastCopy = 4096;

/// nullopt for formats nobody trains in.
std::optional<NumberFormat> format_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return NumberFormat::fp32;
    case Precision::tf32:
      return NumberFormat::tf32;
    case Precision::fp16:
      return NumberFormat::fp16;
    case Precision::bf16:
      return NumberFormat::bf16;
    case Precision::fp8:
      return NumberFormat::fp8;
    case Precision::fp64:
    case Precision::int8:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<OneTiming> time_product(TimingSession& session, const ReplayProduct& product) {
  const auto format = format_of(product.precision);
  if (!format) return std::nullopt;
  const GemmShape shape{.m = product.rows, .n = product.columns, .k = product.depth, .batch = 1};
  const auto time = session.gemm().time(shape, *format, kSamplePlan);
  if (!time) return std::nullopt;
  return OneTiming{time->timing.median, time->timing.noise, time->tier == Tier::library};
}

/// Half of the bytes are read and half are written.
/// A step's passes find in the cache what others left there: each is timed from memory.
std::optional<OneTiming> time_copy(TimingSession& session, Bytes bytes, Bytes l2_cache) {
  constexpr std::int64_t kCaches = 3;
  const std::int64_t half = std::max(bytes.count() / 2 / kVectorBytes * kVectorBytes, kLeastCopy);
  const auto samples = sample_copy(session.bench(), static_cast<std::size_t>(half), kSamplePlan,
                                   static_cast<std::size_t>(kCaches * l2_cache.count()));
  if (!samples) return std::nullopt;
  const Timing timing = timing_of(*samples);
  return OneTiming{timing.median, timing.noise, true};
}

}  // namespace

ReplayTimers replay_timers(TimingSession& session, Bytes l2_cache) {
  return {
      .product =
          [&session](const ReplayProduct& product) { return time_product(session, product); },
      .copy = [&session, l2_cache](Bytes bytes) { return time_copy(session, bytes, l2_cache); }};
}

void time_step(TimingSession& session, const NvmlSession& nvml, const StepReplayPlan& plan,
               const Assignment& assignment, DeviceReport& report) {
  if (report.other_processes.value_or(0) > 0) {
    report.not_timed.emplace_back("step replay: another process uses the GPU");
    return;
  }
  if (!session.ready()) {
    report.not_timed.push_back("step replay: " + session.why());
    return;
  }
  const auto budget = std::chrono::steady_clock::now() + assignment.step_budget;
  report.step =
      replay_step(plan, replay_timers(session, report.l2_cache), std::min(assignment.end, budget));
  if (report.disturbed_by.empty()) report.disturbed_by = nvml.disturbance();
}

}  // namespace gpulint::probe
