#include "memory/step_memo.h"

#include <functional>
#include <memory>
#include <utility>

namespace gpulint {
namespace {

// About 3 kB each; far more than one config asks for. Then all are forgotten.
constexpr std::size_t kMostAnswers = 512;

// Searches change the batch and the sequence; the rest is told apart by comparing.
std::size_t hash_of(const StepQuestion& question) {
  std::size_t hash = std::hash<const void*>{}(question.run.program);
  for (const char* name : {"batch", "sequence_length"}) {
    const auto at = question.run.dimensions.find(name);
    if (at == question.run.dimensions.end()) continue;
    hash = hash * 31 + std::hash<double>{}(at->second.number());
  }
  return hash;
}

}  // namespace

Result<StepMeasure> StepMemo::measure(TapeQuestion run, bool merged_kernels,
                                      const ReplayOptions* replay) {
  StepQuestion question{std::move(run), merged_kernels, {}};
  if (replay != nullptr) question.replay = *replay;
  const std::size_t hash = hash_of(question);
  {
    const std::scoped_lock lock(mutex_);
    const auto [first, last] = answers_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (at->second.question == question) return at->second.step;
    }
  }
  const Result<SharedTape> tape = tapes_.run(question.run);
  Result<StepMeasure> step = tape ? Result(measure_step(**tape, merged_kernels, replay))
                                  : Result<StepMeasure>(fail(tape.error()));
  const std::scoped_lock lock(mutex_);
  if (answers_.size() >= kMostAnswers) answers_.clear();
  answers_.emplace(hash, Answer{std::move(question), step});
  return step;
}

StepMemo& steps_of(const KnownModels& models) {
  return *models.steps([] { return std::make_shared<StepMemo>(); });
}

}  // namespace gpulint
