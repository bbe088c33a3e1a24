// The predicted segments as real device memory, up to the peak and not a moment longer. What comes
// after the peak asks for nothing more, so it is not played.

#include "device/footprint_replay.h"

#include "base/text.h"
#include "device/device_segments.h"
#include "device/footprint_room.h"
#include "device/stop_signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpulint::probe {
namespace {

/// Free memory is read again whenever the footprint has grown by this much.
constexpr Bytes kReadAgain = Bytes::mib(128);
/// Less than either left at the peak is tight: another library or a longer batch takes as much.
constexpr double kTightPart = 0.05;
constexpr Bytes kTight = Bytes::mib(500);

/// The event at which a trace has taken the most.
std::size_t peak_of(const SegmentTrace& trace) {
  Bytes taken;
  Bytes most;
  std::size_t peak = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    taken += trace.events[i].bytes;
    if (taken <= most) continue;
    most = taken;
    peak = i;
  }
  return peak;
}

class Player {
 public:
  Player(const CudaApi& cuda, Calls& calls, const NvmlSession& nvml, const DeviceReport& device,
         const Assignment& assignment, FootprintReport& report)
      : cuda_(cuda),
        calls_(calls),
        nvml_(nvml),
        device_(device),
        assignment_(assignment),
        report_(report) {}

  /// The smaller of what CUDA and NVML say is free.
  std::optional<Bytes> read_free() {
    std::size_t free = 0;
    std::size_t total = 0;
    if (!calls_.ok(cuda_.memory_info(&free, &total), "cuMemGetInfo_v2")) return std::nullopt;
    Bytes least = bytes_of(free);
    if (device_.mig) return least;  // NVML speaks of the whole card
    if (const auto memory = nvml_.memory()) least = std::min(least, bytes_of(memory->free));
    return least;
  }

  /// Everything up to the peak; the verdict becomes another one where that cannot be reached.
  void climb(const SegmentTrace& trace, DeviceSegments& segments) {
    report_.tried = true;
    free_ = report_.free_at_start;
    const std::size_t peak = peak_of(trace);
    for (std::size_t i = 0; i <= peak; ++i) {
      const SegmentEvent& event = trace.events[i];
      if (!may_go_on() || (event.bytes > Bytes{} && !has_room_for(event.bytes))) return;
      if (!segments.play(event)) return refused_by_driver(i, event, segments);
      since_ += event.bytes;
      if (since_ >= kReadAgain && !look_again()) return;
    }
    at_peak(segments);
  }

  void aborted(std::string why) {
    report_.verdict = FootprintVerdict::aborted;
    report_.why = std::move(why);
  }

 private:
  bool may_go_on() {
    if (stop_signal() != 0) aborted("interrupted by a signal");
    if (std::chrono::steady_clock::now() >= assignment_.end) aborted("it took too long");
    return report_.verdict == FootprintVerdict::fits;
  }

  /// Before it is taken: what would be left is more than half of the floor.
  bool has_room_for(Bytes bytes) {
    if (report_.floor == Bytes{} || free_ - since_ - bytes >= half_floor()) return true;
    if (!look_again()) return false;
    if (free_ - bytes >= half_floor()) return true;
    somebody_grew();
    return false;
  }

  bool look_again() {
    since_ = Bytes{};
    const std::optional<Bytes> free = cuda_done() ? read_free() : std::nullopt;
    if (!free) {
      aborted(calls_.failure().detail);
      return false;
    }
    free_ = *free;
    if (free_ >= half_floor()) return true;
    somebody_grew();
    return false;
  }

  bool cuda_done() { return calls_.ok(cuda_.synchronize(), "cuCtxSynchronize"); }
  Bytes half_floor() const { return Bytes::of(report_.floor.count() / 2); }

  void somebody_grew() {
    aborted(fmt::format("another process took memory meanwhile: {} are free, and {} must be",
                        format_binary(free_), format_binary(half_floor())));
  }

  void refused_by_driver(std::size_t index, const SegmentEvent& event,
                         const DeviceSegments& segments) {
    if (calls_.failure().reason != Reason::out_of_memory) return aborted(calls_.failure().detail);
    const Bytes free = read_free().value_or(Bytes{});
    keep(segments, free);
    const Bytes missing = free < event.bytes ? event.bytes - free : event.bytes;
    report_.verdict = FootprintVerdict::out_of_memory;
    report_.missing = MissingMemory{static_cast<int>(index), event.phase, missing};
  }

  void keep(const DeviceSegments& segments, Bytes free) {
    report_.free_at_peak = free;
    report_.reserved_peak = segments.held();
    report_.segments = segments.count();
    report_.taken_peak = report_.free_at_start - free;
  }

  void at_peak(const DeviceSegments& segments) {
    if (!look_again()) return;
    keep(segments, free_);
    const Bytes left = free_ - report_.outside;
    const Bytes tight =
        std::max(kTight, Bytes::rounded(device_.cuda_total.as_double() * kTightPart));
    if (left < tight) report_.verdict = FootprintVerdict::fits_tight;
  }

  const CudaApi& cuda_;
  Calls& calls_;
  const NvmlSession& nvml_;
  const DeviceReport& device_;
  const Assignment& assignment_;
  FootprintReport& report_;
  Bytes free_;   // as last read
  Bytes since_;  // taken since
};

Surroundings surroundings_of(const DeviceReport& device, const MachineFacts& machine, Bytes free,
                             bool share) {
  Surroundings around;
  around.total = device.cuda_total;
  around.context = device.context.value_or(Bytes{});
  around.free = free;
  around.display = device.display;
  around.integrated = device.integrated;
  around.share = share;
  around.limited = machine.memory_limit;
  // A process list of the whole card says nothing about a slice of it.
  if (!device.mig) around.other_processes = device.other_processes;
  return around;
}

FootprintReport not_tried(FootprintReport report, std::string why) {
  report.verdict = FootprintVerdict::refused;
  report.why = std::move(why);
  return report;
}

}  // namespace

FootprintReport play_footprint(const CudaApi& cuda, const MachineFacts& machine,
                               const NvmlSession& nvml, CudaDevice ordinal,
                               const DeviceReport& device, const FootprintPlan& plan,
                               const Assignment& assignment) {
  FootprintReport report;
  Calls calls(cuda, machine);
  Player player(cuda, calls, nvml, device, assignment, report);
  const std::optional<Bytes> free = player.read_free();
  if (!free) return not_tried(std::move(report), calls.failure().detail);
  report = weigh_footprint(plan, surroundings_of(device, machine, *free, assignment.share));
  if (report.verdict != FootprintVerdict::fits) return report;
  if (!can_play(cuda)) return not_tried(std::move(report), "the driver lacks a function");
  {
    const auto segments = plan.trace.expandable
                              ? expandable_segments(cuda, calls, ordinal, device.cuda_total)
                              : native_segments(cuda, calls);
    if (!segments) return not_tried(std::move(report), calls.failure().detail);
    player.climb(plan.trace, *segments);
  }
  cuda.synchronize();
  if (const auto after = player.read_free()) {
    const Bytes moved = report.free_at_start - *after;
    report.drift = moved < Bytes{} ? Bytes{} - moved : moved;
  }
  const bool fits =
      report.verdict == FootprintVerdict::fits || report.verdict == FootprintVerdict::fits_tight;
  if (fits && machine.wsl) report.verdict = FootprintVerdict::fits_unconfirmed;
  return report;
}

}  // namespace gpulint::probe
