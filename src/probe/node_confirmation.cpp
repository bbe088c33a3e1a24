#include "probe/node_confirmation.h"

#include "base/platform.h"
#include "device/child.h"
#include "device/wire_node.h"
#include "host/library.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace gpulint::probe {
namespace {

std::optional<int> count_of(const char* text, int least) {
  if (text == nullptr) return std::nullopt;
  const std::string_view word(text);
  int value = 0;
  // Slurm writes "8(x2)" of tasks on each node.
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = end == word.data() + word.size() || *end == '(' || *end == ',';
  if (error != std::errc{} || !whole || value < least || value > kMostProcesses) {
    return std::nullopt;
  }
  return value;
}

template <std::size_t n>
std::optional<int> first_of_counts(const std::function<const char*(const char*)>& variable,
                                   const std::array<const char*, n>& names) {
  for (const char* name : names) {
    if (const auto count = count_of(variable(name), 1)) return count;
  }
  return std::nullopt;
}

constexpr std::array<const char*, 5> kProcessVariables{
    "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
constexpr std::array<const char*, 5> kLocalVariables{
    "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE", "LOCAL_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

std::string job_of(const std::function<const char*(const char*)>& variable) {
  std::string job;
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_STEP_ID", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE"}) {
    if (const char* value = variable(name)) job += (job.empty() ? "" : "-") + std::string(value);
  }
  return job;
}

NodeOutcome measure_in(const MeasureRequest& request, const JobPlace& place, const SendLine& send) {
  const auto driver = load_driver(request.libraries, request.machine);
  if (const auto* unavailable = std::get_if<Unavailable>(&driver)) return *unavailable;
  NodeAssignment assignment;
  assignment.each = request.assignment;
  assignment.root = request.assignment.root;
  assignment.place = place;
  assignment.each.libraries = find_cublaslt(request.library, request.linted_folder).paths;
  LibraryChoice nccl = find_nccl(request.library, request.linted_folder);
  assignment.nccl = std::move(nccl.paths);
  if (!nccl.refused.empty()) assignment.no_nccl = nccl.refused.front();
  assignment.publish = [&send](const NodeReport& known) { send(write_node_wire(known)); };
  return measure_node(std::get<Driver>(driver), request.machine, assignment);
}

}  // namespace

JobPlace job_place(const std::function<const char*(const char*)>& variable, const RankFacts& facts,
                   std::string meet) {
  JobPlace place;
  place.rank = facts.rank.value_or(0);
  place.processes = facts.rank ? first_of_counts(variable, kProcessVariables).value_or(1) : 1;
  if (place.rank >= place.processes) place.processes = place.rank + 1;
  place.local_rank = facts.local_rank.value_or(0);
  place.local_processes =
      place.processes > 1
          ? std::max(first_of_counts(variable, kLocalVariables).value_or(1), place.local_rank + 1)
          : 1;
  place.machine = facts.node;
  place.job = job_of(variable);
  place.meet = std::move(meet);
  return place;
}

NodeOutcome measure_links(const MeasureRequest& request, const JobPlace& place) {
  if (const auto why = why_not(request)) return *why;
  ChildEnd end = run_lines_in_child(
      [&](const SendLine& send) { return write_node_wire(measure_in(request, place, send)); },
      request.deadline);
  if (end.why.empty()) return read_node_wire(end.line);
  NodeOutcome outcome = read_node_wire(end.line);
  auto* report = std::get_if<NodeReport>(&outcome);
  if (report == nullptr) return Failed{std::move(end.why)};
  report->cut_off = std::move(end.why);
  return outcome;
}

int exit_code_of(const NodeConfirmation& confirmation) {
  if (std::holds_alternative<Unavailable>(confirmation.outcome)) return kNoUsableDevice;
  if (std::holds_alternative<Failed>(confirmation.outcome)) return kMeasuringFailed;
  if (any_contradicted(confirmation.checks) || !confirmation.stands_out.empty()) {
    return kContradicted;
  }
  const bool whole = std::get<NodeReport>(confirmation.outcome).cut_off.empty();
  return whole ? kNothingContradicted : kMeasuringFailed;
}

}  // namespace gpulint::probe
