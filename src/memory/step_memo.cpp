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

StepMeasure step_of(const model::Tape& tape, const StepQuestion& question) {
  if (question.weights_only) return measure_weights(tape);
  return measure_step(tape, question.merged_kernels, question.replay ? &*question.replay : nullptr);
}

}  // namespace

Result<StepMeasure> StepMemo::measure(TapeQuestion run, bool merged_kernels,
                                      const ReplayOptions* replay) {
  StepQuestion question{.run = std::move(run), .merged_kernels = merged_kernels, .replay = {}};
  if (replay != nullptr) question.replay = *replay;
  return answer(std::move(question));
}

Result<StepMeasure> StepMemo::weights(TapeQuestion run) {
  return answer({.run = std::move(run), .weights_only = true, .replay = {}});
}

Result<StepMeasure> StepMemo::answer(StepQuestion question) {
  const std::size_t hash = hash_of(question);
  {
    const std::scoped_lock lock(mutex_);
    const auto [first, last] = answers_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (at->second.question == question) return at->second.step;
    }
  }
  const Result<SharedTape> tape = tapes_.run(question.run);
  Result<StepMeasure> step =
      tape ? Result(step_of(**tape, question)) : Result<StepMeasure>(fail(tape.error()));
  const std::scoped_lock lock(mutex_);
  if (answers_.size() >= kMostAnswers) answers_.clear();
  answers_.emplace(hash, Answer{std::move(question), step});
  return step;
}

StepMemo& steps_of(const KnownModels& models) {
  return *models.steps([] { return std::make_shared<StepMemo>(); });
}

}  // namespace gpulint
