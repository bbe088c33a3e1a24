#include "probe/confirmation.h"

#include "base/platform.h"
#include "device/child.h"
#include "device/measure.h"
#include "host/library.h"
#include "probe/rate_checks.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpulint::probe {
namespace {

/// Before the deadline nothing new is begun any more.
constexpr std::chrono::milliseconds kForTheReport{1000};

Prediction predict(Quantity quantity, BytesRange range) {
  return {quantity, range.low.as_double(), range.high.as_double()};
}

Check check(std::string name, std::string baseline, const Prediction& prediction,
            Measurement measurement) {
  const Judgement judgement = judge(prediction, measurement);
  return {std::move(name), std::move(baseline), prediction, std::move(measurement), judgement};
}

/// After so many kernels that break the context something else is wrong.
constexpr int kMostBroken = 3;

/// `broken`: what is left out because it broke the context of a process before.
/// `passed`: since the request was made.
Outcome measure_once(const MeasureRequest& request, const std::vector<std::string>& broken,
                     std::chrono::steady_clock::duration passed) {
  const auto work = [&](const Publish& publish) -> Outcome {
    const auto driver = load_driver(request.libraries, request.machine);
    if (const auto* unavailable = std::get_if<Unavailable>(&driver)) return *unavailable;
    Assignment assignment = request.assignment;
    assignment.end += passed;
    assignment.publish = publish;
    assignment.broken = broken;
    LibraryChoice choice = find_cublaslt(request.library, request.linted_folder);
    assignment.libraries = std::move(choice.paths);
    Outcome outcome = measure(std::get<Driver>(driver), request.machine, assignment);
    if (auto* report = std::get_if<DeviceReport>(&outcome); report && report->library.empty()) {
      for (const std::string& refused : choice.refused) {
        report->not_timed.push_back("library: " + refused);
      }
    }
    return outcome;
  };
  return run_in_child(work, request.deadline);
}

}  // namespace

void give_time(MeasureRequest& request, std::chrono::milliseconds time,
               std::chrono::seconds sustain) {
  request.deadline = time + sustain;
  request.assignment.sustain = sustain;
  request.assignment.end =
      std::chrono::steady_clock::now() + std::max(time - kForTheReport, kForTheReport);
  request.assignment.rate_budget = time * 6 / 10;
  request.assignment.step_budget = time * 3 / 10;
}

std::optional<Unavailable> why_not(const MeasureRequest& request) {
  if (!kHasNvidiaDrivers) {
    return Unavailable{Reason::no_driver, "there is no NVIDIA driver on this platform"};
  }
  if (request.elevated) {
    return Unavailable{Reason::unsafe_privileges,
                       "gpulint runs with rights its user does not have"};
  }
  if (auto unsafe = unsafe_library_path(request.ld_library_path, request.linted_folder)) {
    return Unavailable{Reason::unsafe_library_path, std::move(*unsafe)};
  }
  return std::nullopt;
}

Outcome measure_device(const MeasureRequest& request) {
  if (auto why = why_not(request)) return std::move(*why);
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::string> broken;
  Outcome outcome = measure_once(request, broken, {});
  for (int again = 0; again < kMostBroken; ++again) {
    const auto* report = std::get_if<DeviceReport>(&outcome);
    if (report == nullptr || report->broken_by.empty()) break;
    broken.push_back(report->broken_by);
    Outcome without = measure_once(request, broken, std::chrono::steady_clock::now() - began);
    // What the first one found is better than nothing.
    if (!std::holds_alternative<DeviceReport>(without)) break;
    outcome = std::move(without);
  }
  return outcome;
}

std::vector<Check> check_device(const DeviceReport& device, const Gpu* gpu,
                                const std::optional<BytesRange>& context) {
  std::vector<Check> checks;
  // A MIG slice has its profile's memory; the database describes whole cards.
  if (gpu != nullptr && !device.mig) {
    if (gpu->memory_total && device.nvml_total) {
      const BytesRange total{*gpu->memory_total, *gpu->memory_total};
      checks.push_back(
          check("memory_total", "the database's memory as nvidia-smi reports it",
                predict(Quantity::memory_total, total),
                {.value = device.nvml_total->as_double(), .disturbed_by = device.limited_by}));
    }
    if (gpu->usable_memory) {
      checks.push_back(
          check("usable_memory", "the database's usable memory (what CUDA can allocate)",
                predict(Quantity::memory_total, *gpu->usable_memory),
                {.value = device.cuda_total.as_double(), .disturbed_by = device.limited_by}));
    }
  }
  if (context && device.context) {
    // A training process adds its framework's modules to what a bare context takes.
    checks.push_back(check("context", "the estimate's CUDA context of a training process",
                           predict(Quantity::context, *context),
                           {.value = device.context->as_double(),
                            .noise = device.drift.as_double(),
                            .witness = Witness::lower_bound,
                            .disturbed_by = {}}));
  }
  if (gpu != nullptr) {
    std::vector<Check> rates = check_rates(device, *gpu);
    checks.insert(checks.end(), std::make_move_iterator(rates.begin()),
                  std::make_move_iterator(rates.end()));
  }
  return checks;
}

bool any_contradicted(std::span<const Check> checks) {
  return std::any_of(checks.begin(), checks.end(), [](const Check& each) {
    return each.judgement.verdict == Verdict::contradicted;
  });
}

int exit_code_of(const Confirmation& confirmation) {
  if (std::holds_alternative<Unavailable>(confirmation.outcome)) return kNoUsableDevice;
  if (std::holds_alternative<Failed>(confirmation.outcome)) return kMeasuringFailed;
  if (any_contradicted(confirmation.checks)) return kContradicted;
  const bool whole = std::get<DeviceReport>(confirmation.outcome).cut_off.empty();
  return whole ? kNothingContradicted : kMeasuringFailed;
}

}  // namespace gpulint::probe
