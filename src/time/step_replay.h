#pragma once

// What of a training step can be timed on a device without its framework: the matrix work of the
// model at its own shapes and formats, and the traffic of the passes between. A plain value: where
// it comes from needs no device, and what times it needs no model.

#include "catalog/hardware.h"
#include "run/estimate_request.h"
#include "run/quantity.h"
#include "time/step_time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

enum class ReplayKind : std::uint8_t { matrix_product, convolution, attention };
std::string_view name_of(ReplayKind kind);

/// [rows x depth] times [depth x columns]. A convolution is its implicit product, attention the two
/// products around its softmax; what they cost beyond that is the estimate's word, `over_product`.
struct ReplayProduct {
  ReplayKind kind = ReplayKind::matrix_product;
  Precision precision = Precision::fp32;
  std::int64_t rows = 0;  // no larger than a device can hold and time at once
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  double repeats = 0;       // of this product, as much work as the step has of the kind and shape
  double over_product = 1;  // time of the operator over that of its product
  /// The product reads what the operator reads once several times, and that may decide its time.
  bool reads_more = false;
  Seconds predicted;  // of all that work
  friend bool operator==(const ReplayProduct&, const ReplayProduct&) = default;
};

/// Passes over memory, forward and backward.
struct ReplayPasses {
  double copy_bytes = 0;  // read and written by a copy that takes as long
  double pass_bytes = 0;  // of one pass, on average
  Seconds predicted;
};

/// One step in one number format.
struct StepReplay {
  std::vector<ReplayProduct> products;  // the costliest of the step, the longest first
  ReplayPasses passes;
  TimeInterval step;  // predicted, of everything
  /// What of `step.central` the products and passes are.
  double replayed_share() const;
};

struct StepReplayPlan {
  StepReplay full;          // fp32, with TF32 as the run has it
  StepReplay half;          // under mixed precision
  bool runs_half = false;   // which of both the config states
  std::string half_format;  // "bf16"
  std::string figures;      // where the rates are from: "the database"
};

/// nullopt where the time of a step cannot be predicted (names in `unknown`), or its model has no
/// matrix work.
std::optional<StepReplayPlan> plan_step_replay(const EstimateRequest& request,
                                               UnknownFacts& unknown);

}  // namespace gpulint
