// Predictions about a host against what was measured of it. A need is an interval: it holds where
// all of it lies below what there is, and does not where none of it does. In between the figures
// decide nothing, and the report says so.

#include "probe/host_checks.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpulint::probe {
namespace {

/// Of what was found; the project's own accuracy targets, not measured figures.
constexpr double kMachineSize = 0.05;  // firmware and kernel take their part of a stated size
constexpr double kMemoryRoom = 0.02;   // other processes of the host come and go
constexpr double kLoaderRate = 0.25;   // gpulint's own augmentation against a framework's
constexpr double kDiskRate = 0.15;

void provides(std::vector<HostCheck>& checks, HostCheck check, double predicted, double tolerance) {
  check.claim = HostClaim::provides;
  check.low = check.high = predicted;
  check.tolerance = tolerance;
  judge_host(check);
  checks.push_back(std::move(check));
}

void add_sizes(const HostFacts& facts, const HostPrediction& prediction,
               std::vector<HostCheck>& checks) {
  const auto cpus = available_cpus(facts);
  if (prediction.cpu_cores && cpus) {
    provides(checks,
             {.name = "cpu_cores",
              .baseline = "the CPU cores the prediction counts on",
              .quantity = HostQuantity::cpus,
              .measured = *cpus},
             static_cast<double>(*prediction.cpu_cores), 0);
  }
  const auto size = [&](const char* name, const char* baseline, const std::optional<Bytes>& stated,
                        const std::optional<Bytes>& found) {
    if (!stated || !found) return;
    provides(checks, {.name = name, .baseline = baseline, .measured = found->as_double()},
             stated->as_double(), kMachineSize * stated->as_double());
  };
  size("ram_size", "the memory the prediction counts on", prediction.ram, usable_memory(facts));
  size("shm_size", "the /dev/shm the prediction counts on", prediction.shm, facts.shm_size);
}

/// What fits the limit and not what is free now does not start now; that is another statement.
void add_ram(const HostFacts& facts, const HostPrediction& prediction,
             std::vector<HostCheck>& checks) {
  const auto room = usable_memory(facts);
  if (!prediction.ram_needed || !room) return;
  HostCheck check{.name = "ram",
                  .baseline = "memory of all ranks and loaders of one host",
                  .low = prediction.ram_needed->low.as_double(),
                  .high = prediction.ram_needed->high.as_double(),
                  .measured = room->as_double(),
                  .tolerance = kMemoryRoom * room->as_double()};
  judge_host(check);
  const auto free = free_memory(facts);
  if (check.verdict == Verdict::confirmed && free && prediction.ram_needed->high > *free) {
    check.verdict = Verdict::inconclusive;
    check.why = fmt::format("only {} of it is free now", format_binary(*free));
  }
  checks.push_back(std::move(check));
}

void add_shm(const HostFacts& facts, const HostPrediction& prediction,
             std::vector<HostCheck>& checks) {
  if (!prediction.shm_needed || !facts.shm_free) return;
  const double needed = prediction.shm_needed->as_double();
  HostCheck check{.name = "shm",
                  .baseline = "batches in flight, in /dev/shm",
                  .low = needed,
                  .high = needed,
                  .measured = facts.shm_free->as_double(),
                  .tolerance = kMemoryRoom * facts.shm_free->as_double()};
  judge_host(check);
  checks.push_back(std::move(check));
}

/// Every worker has a CPU, and so has the process that feeds each GPU.
void add_workers(const HostFacts& facts, const HostPrediction& prediction,
                 std::vector<HostCheck>& checks) {
  const auto cpus = available_cpus(facts);
  if (!prediction.loader_processes || !cpus || *prediction.loader_processes < 1) return;
  const auto workers = static_cast<double>(*prediction.loader_processes);
  HostCheck check{.name = "workers",
                  .baseline = "loader workers, and the training processes beside them",
                  .quantity = HostQuantity::cpus,
                  .low = workers,
                  .high = workers + static_cast<double>(prediction.ranks),
                  .measured = *cpus};
  judge_host(check);
  if (check.verdict == Verdict::confirmed && !prediction.ranks_known) {
    check.verdict = Verdict::inconclusive;
    check.why = "how many ranks share this host is not known; state it with --gpus";
  }
  if (check.verdict == Verdict::inconclusive && check.why.empty()) {
    check.why = "the workers have a CPU each, the training processes have none left";
  }
  checks.push_back(std::move(check));
}

/// The pipeline as so many workers ran it; more than ever ran deliver no less than those.
const Figure* pipeline_of(const HostReport& report, std::int64_t workers) {
  const Figure* best = nullptr;
  for (const Figure& figure : report.figures) {
    if (figure.kind != FigureKind::image_pipeline ||
        figure.workers > std::max<std::int64_t>(workers, 1)) {
      continue;
    }
    if (best == nullptr || figure.workers > best->workers) best = &figure;
  }
  return best;
}

struct Delivered {
  double rate = 0;  // samples per second of all loaders of the host
  double noise = 0;
  std::string from;
};

/// nullopt with the reason in `why`.
std::optional<Delivered> delivered_by(const HostReport& report, const HostPrediction& prediction,
                                      std::string& why) {
  const std::int64_t workers =
      std::max<std::int64_t>(prediction.loader_processes.value_or(0), prediction.ranks);
  if (!prediction.loader_processes) {
    why = "num_workers is not known";
    return std::nullopt;
  }
  if (prediction.rate_per_worker) {
    const double at_once = report.facts ? available_cpus(*report.facts).value_or(1) : 1;
    return Delivered{*prediction.rate_per_worker * std::min(static_cast<double>(workers), at_once),
                     0, "samples_per_second_per_worker, as far as there are CPUs"};
  }
  if (!prediction.images) {
    why = "samples_per_second_per_worker is not stated, and the samples are not known to be images";
    return std::nullopt;
  }
  const Figure* figure = pipeline_of(report, workers);
  if (figure == nullptr) {
    why = "no image pipeline was measured";
    return std::nullopt;
  }
  if (!figure->own_data) {
    why =
        fmt::format("only generated images were decoded ({}); name the run's own with --data-path",
                    words_of(figure->kind, figure->value));
    return std::nullopt;
  }
  return Delivered{figure->value, figure->noise,
                   fmt::format("{} on files of the data path", counted(figure->workers, "worker"))};
}

void add_loader(const HostReport& report, const HostPrediction& prediction,
                std::vector<HostCheck>& checks, std::vector<std::string>& not_judged) {
  std::string why = prediction.why_no_rate;
  const auto delivered = prediction.consumed ? delivered_by(report, prediction, why) : std::nullopt;
  if (!delivered) {
    if (!why.empty()) not_judged.push_back("loader: " + why);
    return;
  }
  HostCheck check{
      .name = "loader",
      .baseline = "what the GPUs of this host take, against what " + delivered->from + " deliver",
      .quantity = HostQuantity::samples_per_second,
      .low = prediction.consumed->low.value,
      .high = prediction.consumed->high.value,
      .measured = delivered->rate,
      .noise = delivered->noise,
      .tolerance = kLoaderRate * delivered->rate};
  judge_host(check);
  if (check.verdict == Verdict::confirmed) check.why = "the loader keeps up";
  if (check.verdict == Verdict::contradicted) check.why = "the GPU waits for the loader";
  checks.push_back(std::move(check));
}

void add_stated_rates(const HostReport& report, const HostPrediction& prediction,
                      std::vector<HostCheck>& checks) {
  const Figure* one = find_figure(report, FigureKind::image_pipeline, 1);
  if (prediction.rate_per_worker && prediction.images && one != nullptr && one->own_data) {
    HostCheck check{.name = "worker_rate",
                    .baseline = "samples_per_second_per_worker",
                    .quantity = HostQuantity::samples_per_second,
                    .claim = HostClaim::is,
                    .low = *prediction.rate_per_worker,
                    .high = *prediction.rate_per_worker,
                    .measured = one->value,
                    .noise = one->noise,
                    .tolerance = kLoaderRate * *prediction.rate_per_worker};
    judge_host(check);
    checks.push_back(std::move(check));
  }
  const Figure* disk = nullptr;
  for (const Figure& figure : report.figures) {
    const bool better = disk == nullptr || disk->value < figure.value;
    if (figure.kind == FigureKind::disk_cold && better) disk = &figure;
  }
  if (!prediction.storage_bandwidth || disk == nullptr) return;
  provides(checks,
           {.name = "storage_bandwidth",
            .baseline = "storage_bandwidth, against sequential reads past the page cache",
            .quantity = HostQuantity::bytes_per_second,
            .measured = disk->value,
            .noise = disk->noise},
           *prediction.storage_bandwidth, kDiskRate * *prediction.storage_bandwidth);
}

}  // namespace

void judge_host(HostCheck& check) {
  const bool finite = std::isfinite(check.low) && std::isfinite(check.high) &&
                      std::isfinite(check.measured) && std::isfinite(check.noise);
  if (!finite) {
    check.why = "a value is not a finite number";
    return;
  }
  if (check.noise > 0 && check.noise > check.tolerance / 2) {
    check.why = "repeated measurements scatter too much";
    return;
  }
  switch (check.claim) {
    case HostClaim::provides:
      check.verdict = check.measured >= check.low - check.tolerance ? Verdict::confirmed
                                                                    : Verdict::contradicted;
      return;
    case HostClaim::is:
      check.verdict = check.measured >= check.low - check.tolerance &&
                              check.measured <= check.high + check.tolerance
                          ? Verdict::confirmed
                          : Verdict::contradicted;
      return;
    case HostClaim::holds:
      if (check.high + check.tolerance <= check.measured) check.verdict = Verdict::confirmed;
      if (check.low - check.tolerance > check.measured) check.verdict = Verdict::contradicted;
      return;
  }
}

std::vector<HostCheck> check_host(const HostReport& report, const HostPrediction& prediction,
                                  std::vector<std::string>& not_judged) {
  std::vector<HostCheck> checks;
  if (report.facts) {
    add_sizes(*report.facts, prediction, checks);
    add_ram(*report.facts, prediction, checks);
    add_shm(*report.facts, prediction, checks);
    add_workers(*report.facts, prediction, checks);
  } else {
    not_judged.emplace_back("cpu_cores, ram, shm, workers: nothing is known of the host");
  }
  add_loader(report, prediction, checks, not_judged);
  add_stated_rates(report, prediction, checks);
  return checks;
}

std::string in_words(HostQuantity quantity, double value) {
  switch (quantity) {
    case HostQuantity::bytes:
      return format_binary(Bytes::rounded(value));
    case HostQuantity::cpus:
      return fmt::format("{:.4g} CPUs", value);
    case HostQuantity::samples_per_second:
      return fmt::format("{:.0f} samples/s", value);
    case HostQuantity::bytes_per_second:
      return fmt::format("{:.0f} MB/s", value / 1e6);
  }
  return "";
}

int exit_code_of(const HostConfirmation& confirmation) {
  const auto& checks = confirmation.checks;
  const bool contradicted = std::any_of(checks.begin(), checks.end(), [](const HostCheck& check) {
    return check.verdict == Verdict::contradicted;
  });
  if (contradicted) return kContradicted;
  const bool nothing = !confirmation.report.facts && confirmation.report.figures.empty();
  return nothing ? kMeasuringFailed : kNothingContradicted;
}

}  // namespace gpulint::probe
