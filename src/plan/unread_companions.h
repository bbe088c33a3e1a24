#pragma once

// Files of another dialect that a run names and nobody could read. Internal to this room.

#include "catalog/dialect.h"
#include "plan/map_keys.h"
#include "plan/plan.h"

#include <span>

namespace gpulint {

/// How the run is laid out over its devices, what they split and what they move to the host may
/// stand in such a file: what it may state of that, and nothing else states, is unknown.
void leave_unread_companions_open(std::span<const Observation> observations,
                                  std::span<const Dialect> dialects, Mapping& mapping);

}  // namespace gpulint
