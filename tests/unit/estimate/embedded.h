#pragma once

// The database the program ships with, opened once for all tests of the room.

#include "catalog/catalog.h"
#include "run/known_models.h"
#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

#include <string_view>

namespace gpulint::test {

inline const Catalog& catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  return *opened;
}

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
