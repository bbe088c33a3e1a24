// Whether a footprint may be tried. A device is never driven out of memory to learn that something
// does not fit: sums of what is free say so. Trying shows what sums cannot: that the driver hands
// the segments out, and what is left of the device when it has.

#include "device/footprint_room.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::probe {
namespace {

// A desktop's compositor allocates while we run; elsewhere it is other processes' small buffers.
constexpr Bytes kLeastFloor = Bytes::mib(256);
constexpr double kFloorOfTotal = 0.02;
constexpr Bytes kLeastDisplayFloor = Bytes::mib(768);
constexpr double kDisplayFloorOfTotal = 0.05;

FootprintReport refused(FootprintReport report, std::string why) {
  report.verdict = FootprintVerdict::refused;
  report.why = std::move(why);
  return report;
}

double fragmentation_of(const SegmentTrace& trace) {
  if (trace.peak_reserved.count() <= 0) return 0;
  const double used = trace.peak_allocated.as_double() / trace.peak_reserved.as_double();
  return std::clamp(1 - used, 0.0, 1.0);
}

/// Why the other users of the device forbid a trial; "" when they do not.
std::string forbidden(const Surroundings& surroundings) {
  if (surroundings.share) return "";
  if (!surroundings.other_processes) {
    return "who else uses the device is unknown; --share tries within half of what is free";
  }
  if (*surroundings.other_processes == 0) return "";
  const int others = *surroundings.other_processes;
  return fmt::format("{} the device; --share tries within half of what is free",
                     others == 1 ? "1 other compute process uses"
                                 : fmt::format("{} other compute processes use", others));
}

}  // namespace

Bytes memory_floor(Bytes total, bool display) {
  const double part = display ? kDisplayFloorOfTotal : kFloorOfTotal;
  return std::max(display ? kLeastDisplayFloor : kLeastFloor,
                  Bytes::rounded(total.as_double() * part));
}

std::optional<MissingMemory> find_missing(const SegmentTrace& trace, Bytes room) {
  Bytes taken;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    taken += trace.events[i].bytes;
    if (taken > room) {
      return MissingMemory{static_cast<int>(i), trace.events[i].phase, taken - room};
    }
  }
  return std::nullopt;
}

FootprintPlan plain_footprint(Bytes size) {
  constexpr Bytes kSegment = Bytes::mib(128);
  FootprintPlan plan;
  plan.trace.basis = "segments of 128 MiB";
  std::uint32_t segment = 0;
  for (Bytes left = size; left > Bytes{};) {
    const Bytes one = std::min(left, kSegment);
    plan.trace.events.push_back({.segment = segment++, .bytes = one, .phase = TracePhase::setup});
    left = left - one;
  }
  plan.trace.peak_reserved = plan.trace.peak_allocated = size;
  return plan;
}

FootprintReport weigh_footprint(const FootprintPlan& plan, const Surroundings& surroundings) {
  FootprintReport report;
  report.basis = plan.trace.basis;
  report.expandable = plan.trace.expandable;
  report.fallback = plan.fallback;
  report.outside = plan.outside;
  report.needed = plan.trace.peak_reserved + plan.outside;
  report.free_at_start = surroundings.free;
  const bool alone = surroundings.other_processes == 0;
  // With nobody there who could need it, and no screen.
  const bool to_the_end = plan.to_the_end && alone && !surroundings.display;
  report.floor = to_the_end ? Bytes{} : memory_floor(surroundings.total, surroundings.display);
  report.fragmentation = fragmentation_of(plan.trace);
  Bytes empty = surroundings.total - surroundings.context;
  // What is not free although nobody else is there is the driver's.
  if (to_the_end) empty = std::min(empty, surroundings.free);
  if (report.needed > empty) {
    report.verdict = FootprintVerdict::out_of_memory;
    report.missing = find_missing(plan.trace, empty - plan.outside);
    return report;
  }
  if (surroundings.integrated) {
    return refused(std::move(report), "the device's memory is, or may be, the host's");
  }
  if (surroundings.limited) {
    return refused(std::move(report), "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT grants less than is free");
  }
  if (std::string why = forbidden(surroundings); !why.empty()) {
    return refused(std::move(report), std::move(why));
  }
  const Bytes allowed = alone ? surroundings.free
                              : Bytes::of(std::max<std::int64_t>(0, surroundings.free.count()) / 2);
  if (report.needed + report.floor > allowed) {
    return refused(
        std::move(report),
        fmt::format(
            "only {} of {} free may be used, and {} must stay free, which is not enough for {}",
            format_binary(allowed), format_binary(surroundings.free), format_binary(report.floor),
            format_binary(report.needed)));
  }
  report.verdict = FootprintVerdict::fits;
  return report;
}

}  // namespace gpulint::probe
