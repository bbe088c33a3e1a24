#include "base/platform.h"
#include "cli/commands.h"
#include "cli/confirm_config.h"
#include "cli/confirm_host.h"
#include "cli/data_path.h"
#include "cli/output.h"
#include "device/pinned_allocation.h"
#include "estimate/estimate.h"
#include "host/library.h"
#include "host/measure_host.h"
#include "memory/host_ram.h"
#include "probe/host_checks.h"
#include "report/report.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace gpulint::cli {
namespace {

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Why no library may be loaded; "" when they may.
std::string unsafe_loading(const std::string& linted_folder) {
  if (runs_elevated()) return "gpulint runs with rights its user does not have";
  return probe::unsafe_library_path(environment_text("LD_LIBRARY_PATH"), linted_folder)
      .value_or("");
}

constexpr std::int64_t kMostImageSide = 4096;

probe::HostRequest host_request(const Arguments& arguments, const std::string& linted_folder,
                                const FileReader& disk, const TrainingPlan* facts) {
  probe::HostRequest request;
  if (!arguments.data_path.empty()) {
    request.data_paths = {disk.canonical(arguments.data_path)};
    request.may_write = true;
  }
  request.python = probe::find_python(arguments.python, environment_text("VIRTUAL_ENV"),
                                      environment_text("PATH"), linted_folder);
  request.unsafe_libraries = unsafe_loading(linted_folder);
  if (facts != nullptr && facts->image_size && facts->image_size->value >= 1) {
    request.image_side = static_cast<int>(std::min(facts->image_size->value, kMostImageSide));
  }
  constexpr std::chrono::milliseconds kDriverLimit{4000};
  request.more.push_back({"pinned_allocation", kDriverLimit,
                          [why = request.unsafe_libraries](const probe::PartWriter& writer) {
                            if (!why.empty()) return writer.missing("pinned_allocation", why);
                            measure_pinned({}, probe::read_machine_facts(), writer);
                          }});
  return request;
}

/// What the GPUs take of samples when no loader holds them up.
void add_consumed(const ResolvedRun& run, probe::HostPrediction& prediction) {
  if (run.gpu() == nullptr && !run.facts().step_time) {
    prediction.why_no_rate = "no GPU is named; --gpu names one";
    return;
  }
  EstimateRequest request{
      .run = run.with({{"samples_per_second_per_worker", ""}, {"storage_bandwidth", ""}})};
  request.predict_time = true;
  UnknownFacts unknown;
  const RunTime time = run_time(request, unknown);
  const auto batch = at_least(run.facts().per_device_batch_size, 1);
  if (!time.step_time || !batch) {
    prediction.why_no_rate =
        batch ? "the time of a step cannot be predicted" : "per_device_batch_size is not known";
    return;
  }
  const auto micro_batches = at_least(run.facts().gradient_accumulation_steps, 1).value_or(1);
  const double samples = static_cast<double>(
      saturating_multiply(saturating_multiply(*batch, micro_batches), run.layout().ranks_on_host));
  const TimeInterval& step = time.step_time->total;
  prediction.consumed =
      RateInterval{PerSecond{samples / step.high.value}, PerSecond{samples / step.central.value},
                   PerSecond{samples / step.low.value}};
}

probe::HostPrediction predict_host(const ResolvedRun& run) {
  const TrainingPlan& facts = run.facts();
  const Host* host = run.host();
  probe::HostPrediction prediction;
  if (facts.cpu_cores) prediction.cpu_cores = facts.cpu_cores->value;
  if (!facts.cpu_cores && host != nullptr && host->cpu_cores)
    prediction.cpu_cores = *host->cpu_cores;
  prediction.ram = available_ram(facts, host);
  prediction.shm = available_shm(facts, host);
  const Estimate estimated = gpulint::estimate(EstimateRequest{.run = run});
  if (estimated.ram) {
    prediction.ram_needed = BytesRange{estimated.ram->needed.low, estimated.ram->needed.high};
    prediction.shm_needed = estimated.ram->shm;
  }
  prediction.ranks = run.layout().ranks_on_host;
  prediction.ranks_known = run.layout().ranks_on_host_known;
  if (const auto workers = at_least(facts.num_workers, 0)) {
    prediction.loader_processes = saturating_multiply(*workers, prediction.ranks);
  }
  if (facts.samples_per_second_per_worker && facts.samples_per_second_per_worker->value > 0) {
    prediction.rate_per_worker = facts.samples_per_second_per_worker->value;
  }
  if (const auto disk = positive(facts.storage_bandwidth)) {
    prediction.storage_bandwidth = disk->as_double();
  }
  prediction.images = facts.image_size.has_value() && !facts.sequence_length;
  add_consumed(run, prediction);
  return prediction;
}

}  // namespace

int confirm_host(const Arguments& arguments, const std::string& linted_folder,
                 const FileReader& disk, Session& session) {
  if (!kHasNvidiaDrivers) {
    print_error(
        Error{"confirm --host asks the Linux kernel; it is not available on this platform"});
    return kUsage;
  }
  probe::HostConfirmation confirmation;
  std::optional<probe::HostPrediction> prediction;
  const TrainingPlan* facts = nullptr;
  std::optional<ConfirmedConfig> config;
  if (!arguments.paths.empty() || !arguments.runs.empty()) {
    auto read = read_confirmed(arguments, session);
    if (!read) {
      print_error(read.error());
      return kUsage;
    }
    config = std::move(*read);
    confirmation.config = config->name;
    prediction = predict_host(*config->run.run);
    facts = &config->run.run->facts();
  }
  probe::HostRequest request = host_request(arguments, linted_folder, disk, facts);
  // What a config names is read and never written to.
  if (config && request.data_paths.empty()) {
    request.data_paths = data_paths_of(config->run, config->session);
  }
  if (prediction && prediction->loader_processes) {
    constexpr std::int64_t kMostWorkers = 1024;
    request.loader_workers =
        static_cast<int>(std::min(*prediction->loader_processes, kMostWorkers));
  }
  confirmation.report = measure_host(request);
  if (prediction) {
    confirmation.checks = check_host(confirmation.report, *prediction, confirmation.not_judged);
  }
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions&) {
        return format.confirm_host(confirmation);
      });
  return written ? exit_code_of(confirmation) : kUsage;
}

}  // namespace gpulint::cli
