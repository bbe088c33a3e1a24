#include "memory/step_memo.h"

#include "memory/tape_memo.h"
#include "model/fold.h"
#include "model/interpreter.h"
#include "unit/estimate/embedded.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TapeQuestion asked(std::int64_t batch) {
  const auto found = known_models().find("resnet18");
  TapeQuestion question{found->program, found->entry.dimensions, {}, {}};
  question.dimensions["batch"] = batch;
  question.dimensions["image_size"] = std::int64_t{64};
  return question;
}

StepMeasure ask(StepMemo& memo, const TapeQuestion& question,
                const ReplayOptions* replay = nullptr) {
  const auto step = memo.measure(question, false, replay);
  REQUIRE(step);
  return *step;
}

}  // namespace

TEST_CASE("a step that was measured before is answered as it was measured") {
  StepMemo memo;
  const TapeQuestion question = asked(4);
  TapeMemo tapes;
  const auto tape = tapes.run(question);
  REQUIRE(tape);
  const StepMeasure measured = measure_step(**tape, false);
  for (int time = 0; time < 2; ++time) {
    const StepMeasure step = ask(memo, question);
    CHECK(step.saved == measured.saved);
    CHECK(step.backward_peak == measured.backward_peak);
    CHECK(step.census.total() == 11689512);
  }
}

TEST_CASE("another batch, format or replay is another step") {
  StepMemo memo;
  const TapeQuestion four = asked(4);
  const Bytes saved = ask(memo, four).saved;
  CHECK(ask(memo, asked(8)).saved > saved);
  TapeQuestion recomputed = four;
  recomputed.tape.precision.autocast = model::DType::fp16;
  CHECK(ask(memo, recomputed).saved != saved);
  CHECK_FALSE(ask(memo, four).reserved_slack);
  const ReplayOptions replay;
  CHECK(ask(memo, four, &replay).reserved_slack);
  ReplayOptions with_states;
  with_states.state_values = 2;
  CHECK(ask(memo, four, &with_states).reserved_slack != ask(memo, four, &replay).reserved_slack);
  CHECK_FALSE(ask(memo, four).reserved_slack);
}

TEST_CASE("a refused step stays refused") {
  StepMemo memo;
  TapeQuestion question = asked(4);
  question.dimensions["no_such_size"] = std::int64_t{1};
  for (int time = 0; time < 2; ++time) {
    CHECK_FALSE(memo.measure(question, false));
  }
}

TEST_CASE("more steps than are remembered are still answered rightly") {
  StepMemo memo;
  const Bytes first = ask(memo, asked(1)).saved;
  for (std::int64_t batch = 2; batch < 600; ++batch) ask(memo, asked(batch));
  CHECK(ask(memo, asked(1)).saved == first);
}

TEST_CASE("the tape of a step asked for again is the one there is") {
  TapeMemo tapes;
  const auto first = tapes.run(asked(4));
  REQUIRE(first);
  CHECK(*tapes.run(asked(4)) == *first);
  CHECK(*tapes.run(asked(8)) != *first);
  TapeQuestion half = asked(4);
  half.tape.precision.autocast = model::DType::fp16;
  CHECK(*tapes.run(half) != *first);
}

TEST_CASE("tapes beyond what is remembered are run again and hold the same") {
  TapeMemo tapes;
  const auto first = tapes.run(asked(1));
  REQUIRE(first);
  const std::weak_ptr<const model::Tape> kept = *first;
  const std::size_t operators = (*first)->operators().size();
  const std::int64_t saved = (*first)->saved_bytes(model::StorageKind::activation);
  for (std::int64_t batch = 2; batch < 400; ++batch) REQUIRE(tapes.run(asked(batch)));
  const auto again = tapes.run(asked(1));
  REQUIRE(again);
  CHECK(*again != *first);
  CHECK(kept.use_count() == 1);
  CHECK((*again)->operators().size() == operators);
  CHECK((*again)->saved_bytes(model::StorageKind::activation) == saved);
}

TEST_CASE("a step whose repeated layers are folded is measured as the whole step") {
  std::vector<TapeQuestion> ways(4);
  ways[0].tape.precision.autocast = model::DType::bf16;
  ways[1].tape.checkpoint_blocks = true;
  ways[2].tape.precision = {model::DType::bf16, model::DType::bf16, std::nullopt};
  ways[2].execution.attention = model::AttentionBackend::explicit_math;
  ways[3].tape.precision.autocast = model::DType::bf16;
  ways[3].tape.trained = {std::string(model::kAdapterSection)};
  ways[3].tape.adapter.form = model::AdapterForm::low_rank;
  ways[3].execution.lora_targets = {"*"};
  ways[3].execution.lora_rank = 8;
  const ReplayOptions replay;
  std::set<std::string> families;
  for (const std::string& id : known_models().ids()) {
    const auto found = known_models().find(id);
    REQUIRE(found);
    if (!families.insert(found->program->id).second) continue;
    for (TapeQuestion way : ways) {
      way.dimensions = found->entry.dimensions;
      way.dimensions["batch"] = std::int64_t{2};
      const auto tape = model::run_program(*found->program, way.dimensions, way.tape, way.execution,
                                           model::Iterations::folded);
      if (!tape || tape->folds().empty()) continue;
      INFO(id);
      const model::Tape whole = model::unfold(*tape);
      CHECK(measure_step(*tape, false, &replay) == measure_step(whole, false, &replay));
      CHECK(measure_step(*tape, true) == measure_step(whole, true));
    }
  }
}
