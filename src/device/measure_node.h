#pragma once

#include "device/assignment.h"
#include "device/driver.h"
#include "device/meeting.h"
#include "device/node_report.h"

#include <functional>
#include <string>
#include <vector>

namespace gpulint::probe {

/// What several cards are measured for.
struct NodeAssignment {
  Assignment each = {};                // of each card: libraries, sharing, the end of time
  JobPlace place = {};                 // of this process
  std::vector<std::string> nccl = {};  // paths that are safe to load, best first
  std::string no_nccl = "no NCCL was found";
  std::string root = {};  // where /sys and /proc lie; "" on a real machine
  std::function<void(const NodeReport&)> publish = {};  // whenever more is known
};

/// All visible cards, or where each process of a machine has one, this process's: what joins them,
/// copies between them and from every NUMA node, what each does alone, collectives over the cards
/// of the whole job, and how they fare before and under load. Gives everything back on every path.
NodeOutcome measure_node(const Driver& driver, const MachineFacts& machine,
                         const NodeAssignment& assignment);

}  // namespace gpulint::probe
