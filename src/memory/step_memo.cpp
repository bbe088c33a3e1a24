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

StepMeasure step_of(const model::Tape& tape, const StepQuestion& question,
                    const ReplayOptions* replay) {
  if (question.weights_only) return measure_weights(tape);
  return measure_step(tape, question.merged_kernels, replay);
}

}  // namespace

Result<StepMeasure> StepMemo::measure(TapeQuestion run, bool merged_kernels,
                                      const ReplayOptions* replay) {
  return answer({.run = std::move(run), .merged_kernels = merged_kernels}, replay);
}

Result<StepMeasure> StepMemo::weights(TapeQuestion run) {
  return answer({.run = std::move(run), .weights_only = true}, nullptr);
}

// The step as if it had been measured with this replay; nullopt where that is not known.
std::optional<Result<StepMeasure>> StepMemo::Answer::with(const ReplayOptions* replay) const {
  if (replay == nullptr || !step || !step->replayable) return step;
  const auto at = std::find_if(slacks.begin(), slacks.end(),
                               [&](const auto& each) { return each.first == *replay; });
  if (at == slacks.end()) return std::nullopt;
  Result<StepMeasure> replayed = step;
  replayed->reserved_slack = at->second;
  return replayed;
}

Result<StepMeasure> StepMemo::answer(StepQuestion question, const ReplayOptions* replay) {
  const std::size_t hash = hash_of(question);
  {
    const std::scoped_lock lock(mutex_);
    const Answer* answer = known(hash, question);
    if (auto step = answer == nullptr ? std::nullopt : answer->with(replay)) return *step;
  }
  const Result<SharedTape> tape = tapes_.run(question.run);
  const Result<StepMeasure> step =
      tape ? Result(step_of(**tape, question, replay)) : Result<StepMeasure>(fail(tape.error()));
  const std::scoped_lock lock(mutex_);
  Answer* answer = known(hash, question);
  if (answer == nullptr) answer = &remember(hash, {std::move(question), step, {}});
  if (step && step->reserved_slack) {
    answer->step->reserved_slack.reset();
    answer->slacks.emplace_back(*replay, *step->reserved_slack);
  }
  return step;
}

StepMemo::Answer* StepMemo::known(std::size_t hash, const StepQuestion& question) {
  if (const auto at = find(answers_, hash, question); at != answers_.end()) return &at->second;
  const auto at = find(earlier_, hash, question);
  if (at == earlier_.end()) return nullptr;
  const auto node = earlier_.extract(at);
  return &remember(hash, std::move(node.mapped()));
}

StepMemo::Answers::iterator StepMemo::find(Answers& answers, std::size_t hash,
                                           const StepQuestion& question) {
  const auto [first, last] = answers.equal_range(hash);
  const auto at =
      std::find_if(first, last, [&](const auto& each) { return each.second.question == question; });
  return at == last ? answers.end() : at;
}

StepMemo::Answer& StepMemo::remember(std::size_t hash, Answer answer) {
  if (answers_.size() >= kMostAnswers) {
    earlier_ = std::move(answers_);
    answers_.clear();
  }
  return answers_.emplace(hash, std::move(answer))->second;
}

StepMemo& steps_of(const KnownModels& models) {
  return *models.steps([] { return std::make_shared<StepMemo>(); });
}

}  // namespace gpulint
