#include "cli/confirm_config.h"

#include "cli/lint_request.h"
#include "lint/target.h"
#include "memory/device_memory.h"
#include "memory/segment_trace.h"
#include "probe/config_checks.h"
#include "probe/step_checks.h"
#include "report/report.h"
#include "run/fact_access.h"
#include "time/step_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace gpulint::cli {
namespace {

Bytes memory_of(const PlanReport& run) {
  return run.estimate.vram ? run.estimate.vram->total.central : Bytes{};
}

const Gpu* gpu_of(const Catalog& catalog, const probe::DeviceReport& device) {
  return catalog.find_gpu(device.name, device.nvml_total);
}

EstimateRequest request_for(const ConfirmedConfig& config, const Gpu* gpu) {
  return {.run = config.run.run->on({gpu, config.run.host})};
}

/// Why an estimate cannot be played; "" when it can.
std::string unplayable(const Estimate& estimate) {
  constexpr const char* kNext = "gpulint estimate names the unknown facts, --set states them";
  if (!estimate.vram) {
    return fmt::format("the memory of this config cannot be estimated; {}", kNext);
  }
  if (!estimate.vram->lower_bound_only) return "";
  return fmt::format("{}; {}", estimate.vram->explanation, kNext);
}

Bytes at_least_none(Bytes bytes) { return std::max(Bytes{}, bytes); }

/// What a bare context does not show: the framework's modules, other ranks' communication.
Bytes beyond_context(const VramEstimate& vram, const probe::DeviceReport& device) {
  const Bytes context = device.context.value_or(device.cuda_total - device.cuda_free);
  return at_least_none(vram.outside_allocator - context);
}

constexpr const char* kNoVirtualMemory =
    "native segments: the device or its driver has no virtual memory management";

std::optional<probe::FootprintPlan> footprint_plan(const EstimateRequest& request,
                                                   const probe::DeviceReport& device) {
  const Estimate estimated = estimate(request);
  if (!unplayable(estimated).empty()) return std::nullopt;
  const VramEstimate& vram = *estimated.vram;
  probe::FootprintPlan plan;
  plan.outside = beyond_context(vram, device);
  const bool wanted = wants_expandable_segments(request.run.facts());
  if (wanted && !device.virtual_memory) plan.fallback = kNoVirtualMemory;
  const Bytes free =
      std::min(device.cuda_free, device.free_after_context.value_or(device.cuda_free));
  plan.trace = segment_trace(
      request, vram,
      {.expandable = wanted && device.virtual_memory, .room = at_least_none(free - plan.outside)});
  return plan;
}

EstimateRequest at_batch(const EstimateRequest& request, std::int64_t batch) {
  EstimateRequest changed = request;
  changed.run = request.run.with({{"per_device_batch_size", std::to_string(batch)}});
  return changed;
}

/// The largest batch whose central estimate the device has room for; 0: not one, or nobody knows.
std::int64_t predicted_batch(const EstimateRequest& request, const probe::DeviceReport& device) {
  constexpr std::int64_t kMostBatch = std::int64_t{1} << 24;
  const auto fits = [&](std::int64_t batch) {
    const Estimate estimated = estimate(at_batch(request, batch));
    return unplayable(estimated).empty() && estimated.vram->total.central <= device.cuda_total;
  };
  std::int64_t low = 0;
  std::int64_t high = 1;
  while (high <= kMostBatch && fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// The time of a step is predicted with what this machine measured before, if it did.
EstimateRequest step_request(const ConfirmedConfig& config, EstimateRequest request) {
  const Gpu* gpu = request.run.gpu();
  if (gpu != nullptr) {
    const Gpu* best = with_measured(gpu, config.session.measured());
    request.run = request.run.on({best, request.run.host()});
  }
  return request;
}

}  // namespace

Result<ConfirmedConfig> read_confirmed(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) return fail(request.error());
  request->options.keep_plans = true;
  const SessionView view = session.now();
  LintResult result = lint(view, *request);
  std::erase_if(result.files, [](const FileReport& file) { return !file.part_of.empty(); });
  if (!result.errors.empty()) return fail(result.errors.front());
  if (result.files.size() != 1) return fail("name one config, not a folder");
  FileReport& file = result.files.front();
  if (file.plans.empty()) {
    const std::string found = finding_lines(result, false);
    return fail(found.empty() ? file.path + ": no training config was recognised" : found);
  }
  PlanReport* largest = &file.plans.front();
  for (PlanReport& run : file.plans) {
    if (memory_of(run) > memory_of(*largest)) largest = &run;
  }
  std::string name = file.path;
  if (file.plans.size() > 1 && largest->phase) name += ", phase " + *largest->phase;
  return ConfirmedConfig{std::move(*largest), std::move(name), view};
}

probe::ConfigPlan plan_of(const ConfirmedConfig& config, const Catalog& catalog,
                          const probe::DeviceReport& device, bool find_batch) {
  const EstimateRequest request = request_for(config, gpu_of(catalog, device));
  probe::ConfigPlan plan;
  if (find_batch) {
    plan.first_batch = std::max<std::int64_t>(1, predicted_batch(request, device));
    plan.at_batch = [request, &device](std::int64_t batch) {
      auto footprint = footprint_plan(at_batch(request, batch), device);
      if (footprint) footprint->to_the_end = true;
      return footprint;
    };
    return plan;
  }
  plan.footprint = footprint_plan(request, device);
  UnknownFacts unknown;
  plan.step = plan_step_replay(step_request(config, request), unknown);
  return plan;
}

void judge_config(const ConfirmedConfig& config, const Catalog& catalog,
                  probe::Confirmation& confirmation) {
  const auto* device = std::get_if<probe::DeviceReport>(&confirmation.outcome);
  if (device == nullptr) return;
  const Gpu* gpu = gpu_of(catalog, *device);
  const EstimateRequest request = request_for(config, gpu);
  const Estimate estimated = estimate(request);
  const std::int64_t ranks = request.run.layout().world.value_or(1);
  confirmation.config = config.name;
  if (ranks > 1) confirmation.config += fmt::format(", the most loaded of {} ranks", ranks);
  confirmation.unpredicted = unplayable(estimated);
  if (device->step) {
    for (probe::Check& check : probe::check_step(*device->step, device->disturbed_by)) {
      confirmation.checks.push_back(std::move(check));
    }
  }
  if (device->batch) {
    confirmation.checks.push_back(
        probe::check_batch(*device->batch, predicted_batch(request, *device)));
  }
  if (!estimated.vram || !device->footprint) return;
  // Of the card, whatever part of it the config may use.
  const auto usable = gpu != nullptr ? gpu->usable_memory : std::nullopt;
  const Interval& total = estimated.vram->ample;  // the replay gives nothing back
  for (probe::Check& check : probe::check_config(*device, {{total.low, total.high}, usable})) {
    confirmation.checks.push_back(std::move(check));
  }
}

std::vector<Exchange> exchanges_for(const ConfirmedConfig& config, const Gpu* gpu,
                                    std::vector<std::string>& not_judged) {
  if (gpu == nullptr) {
    not_judged.emplace_back("exchanges: the card is not in the database");
    return {};
  }
  UnknownFacts unknown;
  // Held against the links' measurement, so predicted without one of theirs.
  EstimateRequest request = step_request(config, request_for(config, gpu));
  Gpu assumed = *request.run.gpu();
  assumed.collectives = gpu->collectives;
  request.run = request.run.on({&assumed, request.run.host()});
  auto exchanges = exchanges_of(request, unknown);
  if (!exchanges) {
    not_judged.push_back(fmt::format("exchanges: not known: {}", fmt::join(unknown, ", ")));
    return {};
  }
  if (exchanges->empty()) {
    not_judged.emplace_back("exchanges: the config's ranks exchange nothing");
  }
  return std::move(*exchanges);
}

}  // namespace gpulint::cli
