#pragma once

#include "catalog/catalog.h"
#include "plan/map_keys.h"
#include "plan/run.h"

namespace gpulint {

/// A key of a batch that the run's code divides by a number of ranks (`batch_size // world_size`)
/// states the batch of all of them. Only where no call was followed that says what the key means.
void read_divided_batch(const Run& run, const Catalog& catalog, Mapping& mapping);

}  // namespace gpulint
