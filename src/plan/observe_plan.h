#pragma once

// Everything that is noticed of a config beside its facts: keys nobody takes, comments, names, what
// code does with it. Internal to this room.

#include "catalog/catalog.h"
#include "catalog/dialect.h"
#include "plan/key_index.h"
#include "plan/map_keys.h"
#include "plan/plan.h"
#include "plan/run.h"

#include <span>

namespace gpulint {

struct ObserveTerms {
  const KeyIndex& keys;
  const Dialect& dialect;
  const Scope& top;  // of the section that is recognised
  const Recognition& recognition;
  const Catalog* catalog = nullptr;             // nullptr: what needs it is not noticed
  const Run* run = nullptr;                     // nullptr: the document is all there is
  std::span<const Observation> dead_keys = {};  // dead_keys.h
  bool is_partial = false;                      // what is absent may stand in another file
};

/// Adds to the plan's observations.
void observe_plan(const ObserveTerms& terms, Plan& plan);

}  // namespace gpulint
