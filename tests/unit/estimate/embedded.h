#pragma once

// The database the program ships with, opened once for all tests of the room.

#include "catalog/catalog.h"
#include "run/known_models.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <string_view>

namespace gpulint::test {

inline const Catalog& catalog() { return shipped_catalog(); }

inline const KnownModels& known_models() {
  static const KnownModels models(catalog().model_files());
  return models;
}

inline VramEstimate vram_of(const TrainingPlan& plan) {
  const Estimate result = estimate(PlanOn{.plan = &plan, .models = &known_models()});
  REQUIRE(result.vram);
  return *result.vram;
}

}  // namespace gpulint::test
