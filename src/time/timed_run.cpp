#include "time/timed_run.h"

#include "memory/operators.h"
#include "memory/step_memo.h"
#include "run/fact_access.h"

#include <utility>

namespace gpulint {
namespace {

// A compiled model's memory-bound work, of the bytes and of the launches in eager mode:
// neighbouring operators run as one kernel that keeps what lies between them in registers. Chosen,
// not measured (docs/estimator.md).
constexpr double kCompiledBytes = 0.55;
constexpr double kCompiledLaunches = 0.4;

bool can_be_merged(model::KernelKind kind) {
  return kind == model::KernelKind::pointwise || kind == model::KernelKind::normalisation ||
         kind == model::KernelKind::copy;
}

}  // namespace

model::Kernel as_compiled(model::Kernel kernel) {
  if (!can_be_merged(kernel.kind)) return kernel;
  kernel.bytes *= kCompiledBytes;
  kernel.launches *= kCompiledLaunches;
  kernel.indexed = 0;  // the compiler writes the places of values out
  return kernel;
}

std::optional<TimedRun> timed_run(const EstimateRequest& request, UnknownFacts& unknown) {
  const TrainingPlan& plan = request.run.facts();
  if (request.run.gpu() == nullptr) unknown.push_back("gpu");
  if (!plan.model && request.run.model() == nullptr) unknown.push_back("model");
  const model::ModelLibrary::Found* found = request.run.model();
  if (request.run.gpu() == nullptr || found == nullptr) return std::nullopt;
  auto rates = DeviceRates::of(*request.run.gpu(), plan);
  if (!rates) return std::nullopt;
  const auto batch = at_least(plan.per_device_batch_size, 1);
  if (!batch) unknown.push_back("per_device_batch_size");
  std::optional<ModelDimensions> dimensions = program_dimensions(plan, *found, unknown);
  if (!batch || !dimensions) return std::nullopt;
  (*dimensions)["batch"] = sequences_of(plan, *batch);
  std::vector<StepWay> ways = step_ways(request.run, *found, unknown);
  const StepWay& usual = ways.front();
  auto tape = steps_of(*request.run.models())
                  .tapes()
                  .run({found->program, *dimensions, usual.tape, usual.execution});
  if (!tape) return std::nullopt;
  if (rates->tf32_matters()) unknown.push_back("tf32");
  return TimedRun{.rates = *rates,
                  .layout = request.run.layout(),
                  .samples = static_cast<double>(*batch),
                  .micro_batches = static_cast<double>(
                      at_least(plan.gradient_accumulation_steps, 1).value_or(1)),
                  .found = *found,
                  .dimensions = std::move(*dimensions),
                  .ways = std::move(ways),
                  .tape = std::move(*tape)};
}

}  // namespace gpulint
