#pragma once

#include "catalog/knowledge.h"
#include "plan/training_plan.h"

namespace gpulint {

/// What is trained beside frozen weights.
struct Adapter {
  const AdapterTraits* traits = nullptr;  // nullptr: none is named, or it is described nowhere
  bool present = false;                   // weights are frozen and an adapter is trained
  bool trains_embeddings = false;  // modules outside of the blocks are trained whole beside it

  /// `is_blocked`: a method is named that nobody knows. It may freeze the weights, and what it
  /// trains is as open as that of an adapter which is described nowhere.
  static Adapter of(const TrainingPlan& facts, bool is_blocked);

  /// Its forward pass is one that nobody described.
  bool is_undescribed() const { return present && (traits == nullptr || !traits->place); }
  bool is_at(AdapterPlace place) const { return traits != nullptr && traits->place == place; }
  /// The weights of norms are trained beside it.
  bool trains_norms() const { return traits != nullptr && traits->trains_norms; }
};

}  // namespace gpulint
