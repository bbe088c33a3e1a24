// An optimizer step is bound by bandwidth: it reads and writes every parameter, gradient and value
// a few times and computes next to nothing. Fused kernels pass once; the `foreach` form, PyTorch's
// default on CUDA, makes one pass per operation of the formula. Bytes per parameter are counted
// from the operations of torch/optim (2.x) on fp32 values.

#include "run/fact_access.h"
#include "time/time_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpulint {
namespace {

struct Passes {
  double fused;        // bytes per parameter
  double foreach_;     // likewise, one kernel per operation
  double operations;   // kernels per group of tensors
  bool waits = false;  // the loop form asks the device about every tensor before it goes on
};

// Reads and writes of 4 bytes each. SGD with momentum: weight decay (read p, read and write g),
// buffer *= m, buffer += g, p -= lr x buffer. Adam: lerp, mul, addcmul, sqrt, div, add, addcdiv.
// RMSprop with momentum: weight decay, mul, addcmul, sqrt, add, buffer *= m, addcdiv, p -= lr x
// buffer.
Passes passes_of(std::string_view optimizer) {
  if (optimizer == "sgd") return {20, 40, 4};
  if (optimizer == "lion") return {20, 64, 6};
  if (optimizer == "adafactor") return {16, 60, 12};
  if (optimizer == "adagrad") return {20, 56, 5};
  if (optimizer == "rmsprop") return {28, 84, 8};
  if (optimizer.ends_with("_8bit")) return {16, 16, 1};  // weights, gradients, one byte per value
  // Loops over tensors. The norm of the gradient (square, sum), compared with 0 on the host;
  // divide, decay, momentum, update: Novograd of NVIDIA/DeepLearningExamples, Jasper.
  if (optimizer == "novograd") return {24, 64, 12, true};
  // Both moments, the update out of place, decay, schedule:
  // pytorch_pretrained_bert/optimization.py, which clips tensor by tensor and compares the norm on
  // the host.
  if (optimizer == "bert_adam") return {28, 116, 16, true};
  if (optimizer == "lamb" || optimizer == "lars")
    return {44, 100, 12};  // norms of weight and update
  return {28, 72, 9};
}

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

OptimizerWork optimizer_work(const TrainingPlan& plan, const UpdatedTensors& updated,
                             bool loss_scaled) {
  const Passes passes = passes_of(text_of(plan.optimizer));
  const bool fused = is_true(plan.fused_optimizer);
  const bool loops = !fused && (passes.waits || is_false(plan.foreach_optimizer));
  const double groups = std::ceil(updated.tensors / kTensorsPerLaunch);
  double per_parameter = fused ? passes.fused : passes.foreach_;
  double launches = (fused ? 1 : passes.operations) * (loops ? updated.tensors : groups);
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
  return {updated.parameters * per_parameter, launches, loss_scaled || (!fused && passes.waits),
          fmt::format("{:.0f} bytes per parameter", per_parameter)};
}

}  // namespace gpulint
