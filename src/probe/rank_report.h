#pragma once

#include "base/result.h"
#include "probe/confirmation.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// Where a process runs, as its launcher says.
struct RankFacts {
  std::optional<int> rank;        // of the whole job
  std::optional<int> local_rank;  // of the node
  std::string node;
  friend bool operator==(const RankFacts&, const RankFacts&) = default;
};
/// `variable` gives an environment variable, or nullptr. Slurm's variables come first, then those
/// of torchrun, Open MPI and PMI; what is not a count is passed over.
RankFacts rank_facts(const std::function<const char*(const char*)>& variable,
                     std::string_view host_name);

/// What one process of a job found.
struct RankReport {
  RankFacts place;
  std::string gpu_id;  // the catalog's; "" = not in it
  Outcome outcome;
  std::vector<std::string> contradicted;  // names of checks
};

RankReport rank_report(RankFacts place, const Confirmation& confirmation);

/// "confirm-rank-3.json", or without a rank "confirm-node1-0000-03-00.0.json"; a file name in
/// every case.
std::string file_name_of(const RankReport& report);

/// One object of schema gpulint.confirm-rank/1.
std::string write_rank_report(const RankReport& report, std::string_view version);
/// Trusts nothing: the file may be anybody's.
Result<RankReport> read_rank_report(std::string_view text);

}  // namespace gpulint::probe
