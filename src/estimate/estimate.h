#pragma once

// Host RAM, /dev/shm and VRAM of one run, as ranges with named terms. Formulas and their sources:
// docs/estimator.md. A quantity that cannot be known is nullopt and its missing facts are named.

#include "base/units.h"
#include "catalog/hardware.h"
#include "memory/memory_estimate.h"
#include "memory/memory_verdict.h"
#include "run/estimate_request.h"
#include "time/run_time.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

struct Estimate : RunTime {
  std::optional<VramEstimate> vram;
  std::optional<RamEstimate> ram;
  /// Model states that offloading puts into the memory of one host; unset without parameters.
  std::optional<Interval> offloaded;
  std::optional<BytesRange> usable_vram;  // of the target GPU
  std::optional<Bytes> available_ram;     // of the target host
  std::optional<Bytes> available_shm;
  MemoryVerdict vram_verdict;
  MemoryVerdict ram_verdict;
  MemoryVerdict shm_verdict;
  std::vector<std::string> unknown;           // facts that were missing, sorted, once each
  std::vector<std::string> unknown_for_vram;  // those of them that VRAM depends on
};

Estimate estimate(const EstimateRequest& request);

/// Both ends of the VRAM are known.
inline bool knows_vram(const Estimate& estimate) {
  return estimate.vram && !estimate.vram->lower_bound_only && estimate.vram->bounded_above;
}

/// Something of the network is in the VRAM, be it a lower bound.
inline bool counts_network(const Estimate& estimate) {
  return estimate.vram && estimate.vram->basis != VramBasis::process_only;
}

/// Makes the verdicts from the figures, as `estimate` does: for an estimate put together by hand.
void judge_budgets(Estimate& estimate, double headroom = kDefaultHeadroom);

}  // namespace gpulint
