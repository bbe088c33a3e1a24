#include "memory/step_memo.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace gpulint {
namespace {

// About 3 kB each; far more than one config asks for. Then those that were not asked for since the
// last time are forgotten: configs of one project lie together and ask alike.
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
    if (const auto at = find(answers_, hash, question); at != answers_.end())
      return at->second.step;
    if (const auto at = find(earlier_, hash, question); at != earlier_.end()) {
      const auto node = earlier_.extract(at);
      return remember(hash, std::move(node.mapped()));
    }
  }
  const Result<SharedTape> tape = tapes_.run(question.run);
  Result<StepMeasure> step =
      tape ? Result(step_of(**tape, question)) : Result<StepMeasure>(fail(tape.error()));
  const std::scoped_lock lock(mutex_);
  return remember(hash, {std::move(question), std::move(step)});
}

StepMemo::Answers::iterator StepMemo::find(Answers& answers, std::size_t hash,
                                           const StepQuestion& question) {
  const auto [first, last] = answers.equal_range(hash);
  const auto at =
      std::find_if(first, last, [&](const auto& each) { return each.second.question == question; });
  return at == last ? answers.end() : at;
}

const Result<StepMeasure>& StepMemo::remember(std::size_t hash, Answer answer) {
  if (answers_.size() >= kMostAnswers) {
    earlier_ = std::move(answers_);
    answers_.clear();
  }
  return answers_.emplace(hash, std::move(answer))->second.step;
}

StepMemo& steps_of(const KnownModels& models) {
  return *models.steps([] { return std::make_shared<StepMemo>(); });
}

}  // namespace gpulint
