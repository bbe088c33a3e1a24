#pragma once

// Steps that were measured before. A search for the largest batch, a matrix of GPUs and the rules
// of one config ask for the same step again and again: the operators do not depend on the GPU
// beyond the ways a step may run.

#include "memory/step_measure.h"
#include "memory/tape_memo.h"
#include "run/known_models.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gpulint {

/// All that decides the outcome of a measurement, but for the replay of the allocator.
struct StepQuestion {
  TapeQuestion run;
  bool weights_only = false;
  bool merged_kernels = false;
  friend bool operator==(const StepQuestion&, const StepQuestion&) = default;
};

class StepMemo {
 public:
  /// The step of a program at one batch size, run and measured where it is not remembered; the
  /// refusal names what does not fit. Thread-safe; programs must outlive this object.
  Result<StepMeasure> measure(TapeQuestion run, bool merged_kernels,
                              const ReplayOptions* replay = nullptr);

  /// Likewise, of its weights alone (measure_weights).
  Result<StepMeasure> weights(TapeQuestion run);

  TapeMemo& tapes() { return tapes_; }

 private:
  struct Answer {
    StepQuestion question;
    Result<StepMeasure> step;                                     // without the slack
    std::vector<std::pair<ReplayOptions, ReservedSlack>> slacks;  // of the replays so far
    std::optional<Result<StepMeasure>> with(const ReplayOptions* replay) const;
  };
  using Answers = std::unordered_multimap<std::size_t, Answer>;
  static Answers::iterator find(Answers& answers, std::size_t hash, const StepQuestion& question);
  Answer* known(std::size_t hash, const StepQuestion& question);
  Answer& remember(std::size_t hash, Answer answer);
  Result<StepMeasure> answer(StepQuestion question, const ReplayOptions* replay);

  TapeMemo tapes_;    // has a lock of its own
  std::mutex mutex_;  // guards both below; never held while operators run
  Answers answers_;
  Answers earlier_;  // not asked for since answers_ was full
};

/// Steps of these models that were measured before.
StepMemo& steps_of(const KnownModels& models);

}  // namespace gpulint
