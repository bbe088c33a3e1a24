#pragma once

// What fits: the largest batch and the longest sequence of a run on one GPU, settings with more or
// less room to spare, and what to change, cheapest first, when memory or the loader is short.

#include "estimate/estimate.h"
#include "search/least_devices.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// Facts in their text form, in the order they are shown.

struct FitSetting {
  std::string name;  // conservative | balanced | aggressive
  FactChanges facts;
};

/// One more change on top of those before it.
struct LadderStep {
  FactChanges change;
  std::optional<Bytes> vram_central;  // of what is needed
  std::optional<Bytes> ram_central;
  std::optional<double> time_factor;  // of the time per sample before all changes
  Fit fit = Fit::unknown;             // of the GPU and the host, the worse of what is known
};

struct FitResult {
  MemoryVerdict verdict;                         // on the run as it is
  std::optional<std::int64_t> largest_batch;     // 0: not one sample fits
  std::optional<std::int64_t> longest_sequence;  // at the stated batch
  /// From here on a larger batch gains less than a tenth in samples per second.
  std::optional<std::int64_t> batch_that_pays;
  std::optional<Interval> vram;  // needed at the largest batch
  std::optional<BytesRange> usable;
  std::optional<RateInterval> throughput;  // at the largest batch, samples/s of one device
  std::vector<FitSetting> settings;
  std::vector<LadderStep> vram_ladder;
  std::vector<LadderStep> ram_ladder;
  std::vector<LadderStep> loading_ladder;
  std::vector<std::string> unknown;     // why there is no largest batch
  std::optional<LeastDevices> devices;  // where the launcher decides how states are split
};

enum class FitDetail : std::uint8_t { matrix, whole };  // whole: ladders and longest sequence too

FitResult fit(const EstimateRequest& request, FitDetail detail);

/// The three ladders of a plan as it is.
std::vector<LadderStep> vram_ladder(const EstimateRequest& request);
std::vector<LadderStep> ram_ladder(const EstimateRequest& request);
std::vector<LadderStep> loading_ladder(const EstimateRequest& request);

}  // namespace gpulint
