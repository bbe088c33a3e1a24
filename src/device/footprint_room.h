#pragma once

#include "base/units.h"
#include "device/assignment.h"
#include "device/footprint_report.h"

#include <optional>

namespace gpulint::probe {

/// What decides whether a footprint may be tried on a device.
struct Surroundings {
  Bytes total;  // what CUDA can allocate
  Bytes context;
  Bytes free;  // the smaller of CUDA's and NVML's, with our context alive
  bool display = false;
  bool integrated = false;
  bool share = false;
  bool limited = false;                // by the MPS server, to less than is free
  std::optional<int> other_processes;  // unknown without NVML and on MIG slices
};

/// What must stay free: somebody's next small allocation, or a desktop.
Bytes memory_floor(Bytes total, bool display);

/// The first event of a trace for which `room` has no memory.
std::optional<MissingMemory> find_missing(const SegmentTrace& trace, Bytes room);

/// So much memory in segments of one size, in place of what a config needs.
FootprintPlan plain_footprint(Bytes size);

/// What arithmetic alone knows: `out_of_memory` where the device, were it empty, is too small;
/// `refused` where trying could harm somebody; else `fits`, which may be tried.
FootprintReport weigh_footprint(const FootprintPlan& plan, const Surroundings& surroundings);

}  // namespace gpulint::probe
