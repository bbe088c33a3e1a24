#pragma once

// What the memory room answers with: ranges with named terms. Formulas and their sources:
// docs/estimator.md.

#include "base/units.h"
#include "run/quantity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

struct Term {
  std::string name;        // "loader buffers"
  Bytes bytes;             // central
  std::string arithmetic;  // "32 workers x 8 batches x 230 MB"
};

/// How well the VRAM of a run is known, best first.
enum class VramBasis : std::uint8_t {
  measured_line,
  operators,
  measured_point,
  activations_stated,
  states_only,
  process_only  // the network is unknown: what its process takes before any tensor
};

/// Central figures of one phase of a step.
struct PhasePeak {
  std::string name;
  Bytes total;
  Bytes needed;
};

/// needed <= total <= ample, end by end.
struct VramEstimate {
  /// The least the run can live with: cached blocks given back, small workspaces. Verdicts and
  /// searches rest on it alone.
  Interval needed;
  /// As nvidia-smi would show it on the target: no more than the GPU has, unless more is needed.
  Interval total;
  Interval ample;  // as nvidia-smi would show it where memory is ample
  VramBasis basis = VramBasis::states_only;
  std::string phase;        // forward | backward | optimizer step | first iteration | evaluation
  std::vector<Term> terms;  // at that phase; add up to total.central
  std::vector<PhasePeak> phases;
  Interval allocated;  // of the framework's tensors alone; zero where only the total is known
  Interval reserved;   // with what its allocator keeps cached
  Bytes allocated_peak;
  Bytes reserved_peak;
  Bytes outside_allocator;        // context, communication buffers
  bool lower_bound_only = false;  // parts or facts are open: the centre says nothing
  bool bounded_above = true;      // `total.high` is an upper end: activations are in it
  bool assumed = false;           // the network is likely and not sure
  bool answers_together = false;  // the low end is what several open facts leave at once
  std::string explanation;        // why the interval is as wide as it is
};

/// Per host: all ranks and loaders of one machine together.
struct RamEstimate {
  Interval total;
  /// What verdicts rest on. Weights that may pass through the host while a model loads, or may not,
  /// count in its ends alone: their centre is a guess between the two.
  Interval needed;
  std::vector<Term> terms;
  Bytes loader_buffers;  // workers x prefetch x batch bytes, all ranks of the host
  Bytes shm;             // /dev/shm needed at the same moment
  std::optional<Bytes>
      own_total;  // our complete budget, where the user stated host_ram_other instead
  std::int64_t ranks = 1;
};

}  // namespace gpulint
