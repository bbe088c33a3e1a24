#include "estimate/step_memo.h"

#include "unit/estimate/embedded.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace gpulint;
using namespace gpulint::test;

namespace {

struct Asked {
  model::ModelLibrary::Found found;
  ModelDimensions dimensions;
  model::TapeOptions tape;
  model::ExecutionOptions execution;
};

Asked asked(std::int64_t batch) {
  Asked question{*known_models().find("resnet18"), {}, {}, {}};
  question.dimensions = question.found.entry.dimensions;
  question.dimensions["batch"] = batch;
  question.dimensions["image_size"] = std::int64_t{64};
  return question;
}

StepMeasure ask(StepMemo& memo, const Asked& q, const ReplayOptions* replay = nullptr) {
  const auto step = memo.measure(q.found, q.dimensions, q.tape, q.execution, false, replay);
  REQUIRE(step);
  return *step;
}

}  // namespace

TEST_CASE("a step that was measured before is answered as it was measured") {
  StepMemo memo;
  const Asked question = asked(4);
  const auto measured =
      measure_step(question.found, question.dimensions, question.tape, question.execution, false);
  REQUIRE(measured);
  for (int time = 0; time < 2; ++time) {
    const StepMeasure step = ask(memo, question);
    CHECK(step.saved == measured->saved);
    CHECK(step.backward_peak == measured->backward_peak);
    CHECK(step.census.total() == 11689512);
  }
}

TEST_CASE("another batch, format or replay is another step") {
  StepMemo memo;
  const Asked four = asked(4);
  const Bytes saved = ask(memo, four).saved;
  CHECK(ask(memo, asked(8)).saved > saved);
  Asked recomputed = four;
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
  Asked question = asked(4);
  question.dimensions["no_such_size"] = std::int64_t{1};
  for (int time = 0; time < 2; ++time) {
    CHECK_FALSE(memo.measure(question.found, question.dimensions, question.tape, question.execution,
                             false));
  }
}

TEST_CASE("more steps than are remembered are still answered rightly") {
  StepMemo memo;
  const Bytes first = ask(memo, asked(1)).saved;
  for (std::int64_t batch = 2; batch < 600; ++batch) ask(memo, asked(batch));
  CHECK(ask(memo, asked(1)).saved == first);
}
