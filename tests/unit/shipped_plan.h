#pragma once

#include "catalog/catalog.h"
#include "plan/training_plan.h"

namespace gpulint::test {

/// The data the program ships with, opened once.
inline const Catalog& shipped_catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  return *opened;
}

/// No facts; the shipped files describe the words of those that are added.
inline TrainingPlan shipped_plan() {
  TrainingPlan plan;
  plan.knowledge = &shipped_catalog();
  return plan;
}

}  // namespace gpulint::test
