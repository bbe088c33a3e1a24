#pragma once

#include "catalog/hardware.h"
#include "device/node_report.h"
#include "probe/confirmation.h"
#include "time/exchanges.h"

#include <span>
#include <string>
#include <vector>

namespace gpulint::probe {

/// Copies between cards over NVLink, copies from the NUMA node beside each card and collectives
/// inside one machine, against what the database and the estimate say of such a card. `gpu`:
/// nullptr = not in the database. Where nothing is said there is no check.
std::vector<Check> check_links(const NodeReport& node, const Gpu* gpu);

/// What the ranks of a config exchange in a step, by the bus bandwidth that was measured: the
/// predicted time is held against the bytes over it. What could not be judged is added to
/// `not_judged` with its reason.
std::vector<Check> check_exchanges(const NodeReport& node, std::span<const Exchange> exchanges,
                                   std::vector<std::string>& not_judged);

/// The rate of the largest message of a kind; nullptr where none was timed.
const CollectiveRate* largest_of(const NodeReport& node, Collective kind);

/// Cards and links that do less than their siblings, and cards that report errors: a card by its
/// PCI address, a link by both. "0000:81:00.0: 16 NVLinks, its siblings have 18"
std::vector<std::string> node_outliers(const NodeReport& node);

}  // namespace gpulint::probe
