#pragma once

// Parts of a dialect's file that files of other kinds have too. Internal to this room.

#include "catalog/dialect.h"
#include "catalog/strict_reader.h"

namespace gpulint {

/// `keys`, `defaults` and `references` of a file that says what flags mean: a dialect that adds to
/// a run. It has no id yet.
Dialect read_facts_of_flags(Complaints& complaints, StrictMapping& file);

}  // namespace gpulint
