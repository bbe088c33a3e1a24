#pragma once

// Host RAM, /dev/shm and VRAM of one run, as ranges with named terms. Formulas and their sources:
// docs/estimator.md. A quantity that cannot be known is nullopt and its missing facts are named.

#include "base/units.h"
#include "catalog/hardware.h"
#include "catalog/project.h"
#include "estimate/step_time.h"
#include "plan/training_plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

class KnownModels;

struct Term {
  std::string name;        // "loader buffers"
  Bytes bytes;             // central
  std::string arithmetic;  // "32 workers x 8 batches x 230 MB"
};

struct Interval {
  Bytes low;
  Bytes central;
  Bytes high;
};

/// How well the VRAM of a run is known, best first.
enum class VramBasis : std::uint8_t {
  measured_line,
  operators,
  measured_point,
  activations_stated,
  states_only
};

struct VramEstimate {
  Interval total;   // as nvidia-smi would show it where memory is ample
  Interval needed;  // the least the run can live with: cached blocks given back, small workspaces
  VramBasis basis = VramBasis::states_only;
  std::string phase;        // forward | backward | optimizer step | first iteration | evaluation
  std::vector<Term> terms;  // at that phase; add up to total.central
  std::vector<std::pair<std::string, Bytes>> phases;  // central total of every phase
  Interval allocated;  // of the framework's tensors alone; zero where only the total is known
  Interval reserved;   // with what its allocator keeps cached
  Bytes allocated_peak;
  Bytes reserved_peak;
  Bytes outside_allocator;        // context, communication buffers
  bool lower_bound_only = false;  // activations unknown: only `low` may be used for a verdict
  bool bounded_above = true;      // `total.high` is an upper end: activations are in it
  std::string explanation;        // why the interval is as wide as it is
};

/// Per host: all ranks and loaders of one machine together.
struct RamEstimate {
  Interval total;
  std::vector<Term> terms;
  Bytes loader_buffers;  // workers x prefetch x batch bytes, all ranks of the host
  Bytes shm;             // /dev/shm needed at the same moment
  std::optional<Bytes>
      own_total;  // our complete budget, where the user stated host_ram_other instead
  std::int64_t ranks = 1;
};

struct Estimate {
  std::optional<VramEstimate> vram;
  std::optional<RamEstimate> ram;
  std::optional<BytesRange> usable_vram;  // of the target GPU
  std::optional<Bytes> available_ram;     // of the target host
  std::optional<Bytes> available_shm;
  std::optional<std::int64_t> steps_per_epoch;  // optimizer steps
  std::optional<std::int64_t> run_steps;
  std::optional<StepTime> step_time;             // of one optimizer step
  std::optional<RateInterval> throughput;        // samples/s over all devices
  std::optional<RateInterval> token_throughput;  // tokens/s, where samples are sequences
  std::optional<TimeInterval> epoch_time;
  std::optional<TimeInterval> run_time;
  std::optional<CostInterval> cost;
  std::optional<Price> price;        // the host's dated one, where no fact states it
  std::vector<std::string> unknown;  // facts that were missing, sorted, once each
};

struct EstimateRequest {
  const TrainingPlan* plan = nullptr;
  const Gpu* gpu = nullptr;  // target; nullptr = none
  const Host* host = nullptr;
  std::span<const Measurement> measurements = {};
  /// Models described by operators; nullptr: only stated facts and measured points count.
  const KnownModels* models = nullptr;
  std::optional<Seconds> step_time = {};  // measured, of one optimizer step
  /// Predict the step's time where nobody measured it; costs another run of the operators.
  bool predict_time = false;
};

Estimate estimate(const EstimateRequest& request);

/// Largest per-device batch whose `needed.high` stays within the bottom of usable memory (a
/// search), for two or more measured points, or parameters and activations that are known; 0 when
/// not even one sample fits, nullopt when it cannot be known.
std::optional<std::int64_t> largest_batch_that_fits(const EstimateRequest& request);

/// What one measured point says about the largest batch: between all of it growing with the batch
/// and all of it fixed. `proportional` = usable / measured x measured batch.
struct BatchRange {
  std::int64_t low = 0;        // this batch fits in either case
  std::int64_t high = 0;       // no larger one fits; meaningless unless `bounded_above`
  bool bounded_above = false;  // false: a point that fits sets no upper end
  double proportional = 0;     // before rounding
  std::string explanation;
};
/// For exactly one measured point and a known capacity; nullopt otherwise.
std::optional<BatchRange> batch_range_that_fits(const EstimateRequest& request);

}  // namespace gpulint
