// An optimizer step is bound by bandwidth: it reads and writes every parameter, gradient and value
// a few times and computes next to nothing. Fused kernels pass once; the `foreach` form, PyTorch's
// default on CUDA, makes one pass per operation of the formula. knowledge/optimizers has the bytes
// per parameter, counted from the operations of torch/optim (2.x) on fp32 values.

#include "run/fact_access.h"
#include "time/time_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpulint {
namespace {

// Adam's, which most others resemble: where nobody described the optimizer.
constexpr OptimizerUpdate kUsualUpdate{28, 72, 9};

// Tensors one launch of a multi-tensor kernel takes (torch/csrc: depth 4, 320 blocks).
constexpr double kTensorsPerLaunch = 30;
// Unscaling fp16 gradients reads and writes them once, clipping reads them and scales them.
constexpr double kUnscale = 8;  // bytes per parameter
constexpr double kClip = 12;
// A moving average reads both values and writes one; its usual form (ModelEmaV2 of timm over a
// state_dict) loops over every weight and buffer: scale both, add, copy.
constexpr double kAverage = 12;
constexpr double kAverageOperations = 4;

}  // namespace

OptimizerWork optimizer_work(const ResolvedRun& run, const UpdatedTensors& updated,
                             bool loss_scaled) {
  const TrainingPlan& plan = run.facts();
  const OptimizerTraits* optimizer = run.optimizer().traits;
  const OptimizerUpdate update =
      optimizer != nullptr ? optimizer->update.value_or(kUsualUpdate) : kUsualUpdate;
  const bool fused = is_true(plan.fused_optimizer);
  const bool loops = !fused && (update.waits || is_false(plan.foreach_optimizer));
  const double groups = std::ceil(updated.tensors / kTensorsPerLaunch);
  double per_parameter = fused ? update.fused_bytes : update.foreach_bytes;
  double launches = (fused ? 1 : update.kernels) * (loops ? updated.tensors : groups);
  if (loss_scaled) {
    per_parameter += kUnscale;
    launches += groups;
  }
  if (plan.max_grad_norm && plan.max_grad_norm->value > 0) {
    per_parameter += kClip;
    launches += 2 * groups;
  }
  if (is_true(plan.ema)) {
    per_parameter += kAverage;
    launches += kAverageOperations * (updated.tensors + updated.buffers);
  }
  return {updated.parameters * per_parameter, launches, loss_scaled || (!fused && update.waits),
          fmt::format("{:.0f} bytes per parameter", per_parameter)};
}

}  // namespace gpulint
