#pragma once

#include "host/host_facts.h"
#include "host/host_part.h"

namespace gpulint::probe {

/// Reads, writes and copies of main memory by one process and by as many as run at once.
void measure_memory(const HostFacts& facts, const PartWriter& writer);

/// Bytes each of `workers` goes through: beyond the caches, at most a quarter of what is free.
Bytes memory_buffer(const HostFacts& facts, int workers);

/// How fast pages of this process are locked, within RLIMIT_MEMLOCK.
void measure_page_lock(const HostFacts& facts, const PartWriter& writer);

}  // namespace gpulint::probe
