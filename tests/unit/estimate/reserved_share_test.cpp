#include "memory/reserved_share.h"

#include "plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using gpulint::test::state;

namespace {

Components alive() {
  Components components;
  components[Component::weights] = {Bytes::mib(1000), Bytes::mib(1000), Bytes::mib(1000)};
  components[Component::activations] = {Bytes::mib(100), Bytes::mib(100), Bytes::mib(100)};
  return components;
}

ModelFootprint language_model() {
  ModelFootprint footprint;
  footprint.basis = VramBasis::operators;
  return footprint;
}

constexpr Range kUsual{1.0, 1.10, 1.13};

TrainingPlan varying() {
  TrainingPlan plan = test::shipped_plan();
  state(plan.sequence_length, 2048);
  state(plan.variable_input_sizes, true);
  state(plan.packing, false);
  return plan;
}

}  // namespace

TEST_CASE("what is allocated once loses next to nothing") {
  const Interval reserved = reserved_in({}, language_model(), alive(), kUsual);
  CHECK(reserved.central == Bytes::mib(1020) + Bytes::mib(110));
  CHECK(reserved.low == Bytes::mib(1100));
}

TEST_CASE("batches of changing length reserve a multiple of the longest one") {
  const Interval recomputed = reserved_in(varying(), language_model(), alive(), kUsual);
  CHECK(recomputed.central == Bytes::mib(1020) + Bytes::mib(260));
  TrainingPlan kept = varying();
  state(kept.activation_checkpointing, "none");
  const Interval whole = reserved_in(kept, language_model(), alive(), kUsual);
  CHECK(whole.central == Bytes::mib(1020) + Bytes::mib(140));
}

TEST_CASE("padding to the maximum makes all batches alike") {
  TrainingPlan padded = varying();
  state(padded.pad_to_max_length, true);
  CHECK(reserved_in(padded, language_model(), alive(), kUsual).central == Bytes::mib(1130));
}

TEST_CASE("stated activations keep the usual factor") {
  ModelFootprint stated;
  stated.basis = VramBasis::activations_stated;
  CHECK(reserved_in({}, stated, alive(), kUsual).central == Bytes::mib(1210));
}
