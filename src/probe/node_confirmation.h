#pragma once

#include "catalog/catalog.h"
#include "device/measure_node.h"
#include "probe/confirmation.h"
#include "probe/rank_report.h"
#include "time/exchanges.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint::probe {

/// What `confirm --links` found of several cards.
struct NodeConfirmation {
  NodeOutcome outcome;
  std::string gpu_id;  // the catalog's, of the first card; "" = not in it
  std::vector<Check> checks;
  std::vector<std::string> stands_out;       // cards and links that differ from their siblings
  std::string config = {};                   // whose exchanges were asked about; "" = none
  std::vector<std::string> not_judged = {};  // "exchange_gradients: why"
};

/// This process's place among those of its job, as Slurm, torchrun, Open MPI or PMI say; alone
/// without them. `meet`: where they meet, "" = nobody said.
JobPlace job_place(const std::function<const char*(const char*)>& variable, const RankFacts& facts,
                   std::string meet);

/// Measures in a child process, after everything that makes loading a native library unsafe has
/// been ruled out.
NodeOutcome measure_links(const MeasureRequest& request, const JobPlace& place);

/// Exit code: 0 nothing contradicted and nothing stands out, 1 either, 3 the child failed, 4 no
/// usable device.
int exit_code_of(const NodeConfirmation& confirmation);

}  // namespace gpulint::probe
