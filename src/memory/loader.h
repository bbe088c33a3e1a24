#pragma once

#include "plan/training_plan.h"
#include "run/fact_access.h"
#include "run/quantity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpulint {

/// Batches per worker when workers are used and nothing is said.
/// Source: torch.utils.data.DataLoader, prefetch_factor=None.
inline constexpr std::int64_t kDefaultPrefetchFactor = 2;

/// One data loader of one rank.
struct Loader {
  std::int64_t workers = 0;
  std::int64_t prefetch = 0;           // batches per worker
  bool prefetch_known = true;          // false: PyTorch's default
  std::int64_t batches_in_flight = 0;  // workers x prefetch, fewer when an epoch has fewer
  Interval batch;                      // bytes
  std::string size_words;              // "230 MB"
};

/// Loaders of one rank and which of them hold memory at the same time.
struct Loaders {
  Loader training;
  std::optional<Loader> evaluation;
  /// Evaluation runs while the training loader has batches in flight; nullopt = unknown.
  std::optional<bool> buffers_overlap;
  /// Both sets of workers are alive at once; nullopt = unknown.
  std::optional<bool> workers_overlap;
};

/// nullopt when the number of workers or the size of a batch is unknown (named in `unknown`).
std::optional<Loaders> loaders_of(const TrainingPlan& plan, UnknownFacts& unknown);

}  // namespace gpulint
