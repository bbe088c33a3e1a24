#pragma once

#include "time/step_replay.h"

#include <string>
#include <vector>

namespace gpulint::probe {

/// A part of a step: what the estimate says of it and what the device took, of one whole step.
struct TimedPart {
  Seconds predicted;
  Seconds measured;
  Seconds noise;
  /// Timed with the library a framework uses; our own kernel's time is only the most it takes.
  bool exact = false;
  friend bool operator==(const TimedPart&, const TimedPart&) = default;
};

struct TimedProduct {
  ReplayProduct product;
  TimedPart time;
  friend bool operator==(const TimedProduct&, const TimedProduct&) = default;
};

/// A step in one number format as far as it was timed.
struct TimedStep {
  Seconds low;  // predicted, of everything
  Seconds central;
  Seconds high;
  std::vector<TimedProduct> products;
  std::optional<TimedPart> passes;
  friend bool operator==(const TimedStep&, const TimedStep&) = default;

  /// All timed parts together; exact when all of them are.
  TimedPart timed() const;
  /// Those that were timed exactly: they are judged by themselves.
  TimedPart exactly_timed() const;
  double timed_share() const;  // of the predicted step
  /// The predicted step with the timed parts as they were measured.
  Seconds measured() const;
};

struct StepReport {
  TimedStep full;  // fp32, with TF32 as the run has it
  TimedStep half;
  bool runs_half = false;
  std::string half_format;
  std::string figures;                 // that the prediction rests on: "the database"
  std::vector<std::string> not_timed;  // "fp32 products: why"
  friend bool operator==(const StepReport&, const StepReport&) = default;
};

}  // namespace gpulint::probe
