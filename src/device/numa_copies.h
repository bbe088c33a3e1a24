#pragma once

#include "device/node_report.h"
#include "device/open_card.h"
#include "host/numa.h"

#include <string>

namespace gpulint::probe {

/// Times page-locked copies between a card and the memory of one NUMA node, both ways and each way
/// alone. What failed is why, and "" where nothing did.
std::string time_numa_copies(OpenCard& card, const NumaNode& node, Bytes size, NumaCopy& found);

}  // namespace gpulint::probe
