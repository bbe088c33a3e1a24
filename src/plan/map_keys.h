#pragma once

#include "catalog/dialect.h"
#include "plan/fact_table.h"
#include "plan/key_index.h"
#include "plan/training_plan.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// A root under which a dialect's keys are looked up. Where two scopes state one fact, the lower
/// `order` wins (a phase's own section before what all phases share).
struct Scope {
  NodeId node = kNoNode;
  PathHash path = kRootPath;
  int order = 0;
};

/// What happened to one fact while keys were mapped; indexed like fact_table().
enum class FactState : std::uint8_t {
  untouched,  // no key states it (or null): the framework's default applies
  set,
  blocked,  // a key speaks of it but not in a way we understand: nobody else may fill it in
};

struct Mapping {
  TrainingPlan facts;
  std::vector<FactState> states;
  /// Of facts that a bare key in some section states: a class of the project's own may take it.
  std::vector<bool> by_bare_key;
  std::vector<Observation> observations;
};

struct MappingRequest {
  const KeyIndex* keys = nullptr;
  const Dialect* dialect = nullptr;
  std::span<const Dialect> dialects = {};  // for shared value maps
  std::span<const KeyMapping> in_house_keys = {};
  std::vector<Scope> scopes;
  const Catalog* catalog = nullptr;  // describes the words of facts; nullptr: any word counts
  /// Where keys marked `anywhere` count beside the scopes. Two of these that disagree leave their
  /// fact unknown, and that is not a finding: each may belong to another part.
  std::vector<Scope> sections = {};
  /// Values that no code reads, sorted: they state nothing, and their keys are observed.
  std::span<const NodeId> without_reader = {};
};

/// Facts that the keys under the scopes state.
Mapping map_keys(const MappingRequest& request);

}  // namespace gpulint
