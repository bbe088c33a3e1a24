// An operator takes the longer of its arithmetic at the rate the GPU achieves and its bytes at the
// bandwidth it achieves, and a little for each kernel it starts. The achieved rates are those of
// large square products and large copies (hardware_db, with sources); small or narrow work reaches
// less, because a product is cut into tiles: tiles with few columns or a short inner dimension
// reuse little, and a last wave of tiles leaves multiprocessors idle. That loss is written as
// smooth factors n / (n + n0), which need no table of kernels; libraries choose tiles to fit, so
// sharp steps would be wrong as often as right. Rejected: one efficiency for a whole model, which
// hides that half of a CNN's time is spent on bytes. Sources: docs/estimator.md.

#include "time/time_rates.h"

#include "base/units.h"
#include "run/fact_access.h"

#include <algorithm>
#include <cmath>

namespace gpulint {
namespace {

using model::DType;
using model::Kernel;
using model::KernelKind;
using model::MatrixProduct;

constexpr std::size_t index_of(Precision precision) { return static_cast<std::size_t>(precision); }

// Of the peak, where nobody measured the GPU: medians over the measured parts of the database.
constexpr double kUnmeasuredTensor = 0.80;
constexpr double kUnmeasuredVector = 0.70;
// Of the data sheet's bandwidth, likewise.
constexpr double kUnmeasuredBandwidth = 0.90;
// Parts whose SM count nobody published are taken as large ones.
constexpr double kUnknownMultiprocessors = 80;

// Tiles of library kernels; a tensor core does so much per byte that it starves earlier.
constexpr double kProductTile = 128;
// Rows or columns, and inner dimension, at which half of the rate is reached, per TFLOP/s of one
// multiprocessor (0.2 for fp32 on an A100, 0.9 for a GeForce's tensor cores, 2.4 for an A100's, 6
// for an H100's): a faster unit needs more reuse of each byte to be fed. Fitted, these three and
// the shares of convolutions below: chosen on the published throughput tables that
// docs/accuracy.md scores them with, so their error there does not predict the error elsewhere.
constexpr double kHalfSide = 10;
constexpr double kHalfDepth = 27;
constexpr double kHalfWaves = 0.35;  // waves of tiles, likewise
// A product with few output tiles is split along its inner dimension.
constexpr double kSplitDepth = 512;
constexpr double kMostSplits = 32;

// Of the achieved matrix rate: fused attention runs its softmax between two products
// (FlashAttention-2 reports 50 to 73 % of the peak forward); recurrent cells wait for the step
// before.
constexpr double kAttention = 0.65;
// Convolutions of one channel per group do not use matrix units and reload their window, so they
// are bound by instructions: of the data sheet's fp32 rate. PyTorch's own kernels compute an index
// per output and per row of the window before they multiply, which half of the time goes to at so
// many taps. Fitted, all three: on EfficientNet and QuartzNet over V100, A100 and RTX 3090.
constexpr double kDepthwise = 0.057;
constexpr double kOwnDepthwise = 0.055;
constexpr double kHalfTaps = 15;

// Of the bandwidth of a large copy, by access pattern. No published figure separates them: chosen
// so that NVIDIA's and timm's tables of throughput are met in the middle (docs/accuracy.md).
double bandwidth_share(KernelKind kind) {
  switch (kind) {
    case KernelKind::pointwise:
    case KernelKind::copy:
      return 0.95;
    case KernelKind::normalisation:
      return 0.80;
    case KernelKind::matrix_product:
    case KernelKind::convolution:
    case KernelKind::attention:
    case KernelKind::recurrence:
      return 0.85;
    case KernelKind::transposition:
      return 0.75;
    case KernelKind::pooling:
      return 0.60;
    case KernelKind::depthwise:
    case KernelKind::own_depthwise:
      return 0.35;
  }
  return 1;
}

// Threads a multiprocessor holds, and a read of memory while others read too: 0.2 to 0.3 us alone
// (V100, arXiv:1804.06826; A100, arXiv:2208.11174), half a microsecond chosen.
constexpr double kThreads = 2048;
constexpr double kLatency = 0.5e-6;  // seconds

// Where operands differ in shape, PyTorch's elementwise kernels divide their way to the place of
// every value (OffsetCalculator), one value after another, so they are bound by instructions
// whatever the width of a value. Comparisons of 16-bit operands came to 165 to 186 billion values
// per second on a part that copied 0.8 TB/s (PyTorch pull requests 69010 and 69111), which is 1.2
// to 1.5 per multiprocessor and cycle, be it a V100 or an RTX 3090.
constexpr double kIndexedPerCycle = 1.3;

// A kernel that does nothing occupies the device this long.
constexpr double kEmptyKernel = 2e-6;  // seconds
// One step of a recurrent cell waits for the one before: a barrier over the device.
constexpr double kRecurrentStep = 8e-6;  // seconds

double approaching(double size, double half) { return size / (size + half); }

// torch/RNN.cpp, use_persist_common_heuristics: 16-bit cells of at most 1,024 values, a multiple of
// 128, run as one kernel that keeps their weights in registers.
bool is_persistent(const Kernel& kernel) {
  return model::is_half(kernel.dtype) && kernel.product.depth <= 1024 &&
         kernel.product.depth % 128 == 0;
}

}  // namespace

std::optional<DeviceRates> DeviceRates::of(const Gpu& gpu, const TrainingPlan& plan) {
  const auto& peaks = gpu.peak_flops;
  if (!gpu.memory_bandwidth || !peaks[index_of(Precision::fp32)]) return std::nullopt;
  DeviceRates rates;
  rates.bandwidth_ =
      gpu.memory_bandwidth->value * gpu.achieved_bandwidth.value_or(kUnmeasuredBandwidth);
  rates.multiprocessors_ = gpu.sm_count ? *gpu.sm_count : kUnknownMultiprocessors;
  const auto& achieved = gpu.achieved_fraction;
  std::optional<double> tensor;
  for (const Precision known : {Precision::fp16, Precision::bf16, Precision::tf32}) {
    if (!tensor && gpu.tensor_cores) tensor = achieved[index_of(known)];
  }
  for (std::size_t i = 0; i < kPrecisionCount; ++i) {
    if (!peaks[i]) continue;
    const bool cores =
        gpu.tensor_cores && i != index_of(Precision::fp32) && i != index_of(Precision::fp64);
    const double usual = cores ? tensor.value_or(kUnmeasuredTensor) : kUnmeasuredVector;
    rates.rates_[i] = {peaks[i]->value * achieved[i].value_or(usual), cores};
  }
  rates.vector_rate_ = rates.rates_[index_of(Precision::fp32)].operations;
  rates.vector_peak_ = peaks[index_of(Precision::fp32)]->value;
  if (gpu.sm_count && gpu.fp32_units) {
    const double cycles =  // of all multiprocessors, per second
        rates.vector_peak_ / (2.0 * *gpu.fp32_units);
    rates.index_rate_ = kIndexedPerCycle * cycles;
  }
  const bool can_tf32 = gpu.tf32 && rates.rates_[index_of(Precision::tf32)].operations > 0;
  // PyTorch's defaults since 1.12: TF32 in cuDNN's convolutions and recurrent cells, not in matrix
  // products.
  rates.tf32_products_ = can_tf32 && is_true(plan.tf32);
  rates.tf32_convolutions_ = can_tf32 && !is_false(plan.tf32);
  rates.fp8_linear_ = text_of(plan.mixed_precision) == "fp8" &&
                      rates.rates_[index_of(Precision::fp8)].operations > 0;
  const std::string_view mixed = text_of(plan.mixed_precision);
  const std::string_view weights = text_of(plan.weights_dtype);
  const bool half = (!mixed.empty() && mixed != "none") || weights == "fp16" || weights == "bf16";
  rates.tf32_matters_ = can_tf32 && !plan.tf32 && !half;
  Precision format =
      half ? (mixed == "bf16" || weights == "bf16" ? Precision::bf16 : Precision::fp16)
           : (can_tf32 && !is_false(plan.tf32) ? Precision::tf32 : Precision::fp32);
  // The tape has one 16-bit format, as both take the same bytes; their rates differ.
  const bool brain = mixed == "bf16" || weights == "bf16" || mixed == "fp8";
  rates.half_format_ = brain ? Precision::bf16 : Precision::fp16;
  if (brain && !gpu.bf16_native) rates.half_format_ = Precision::fp32;
  if (rates.fp8_linear_) format = Precision::fp8;
  const auto& peak = peaks[index_of(format)];
  rates.peak_ = peak ? peak->value : peaks[index_of(Precision::fp32)]->value;
  return rates;
}

Precision DeviceRates::format_of(KernelKind kind, DType dtype) const {
  Precision format = Precision::fp32;
  if (model::is_half(dtype)) format = half_format_;
  if (fp8_linear_ && kind == KernelKind::matrix_product && model::is_half(dtype)) {
    format = Precision::fp8;
  }
  if (dtype == DType::fp32) {
    const bool by_cudnn = kind == KernelKind::convolution || kind == KernelKind::recurrence;
    const bool tf32 = by_cudnn ? tf32_convolutions_ : tf32_products_;
    if (tf32) format = Precision::tf32;
  }
  // A format the device only emulates runs no faster than fp32.
  return rates_[index_of(format)].operations > 0 ? format : Precision::fp32;
}

DeviceRates::MatrixRate DeviceRates::rate_of(KernelKind kind, DType dtype) const {
  return rates_[index_of(format_of(kind, dtype))];
}

double DeviceRates::over_product(const Kernel& kernel) const {
  if (kernel.kind == KernelKind::attention) return 1 / kAttention;
  if (kernel.kind != KernelKind::convolution || !(kernel.flops > 0)) return 1;
  const MatrixRate rate = rate_of(kernel.kind, kernel.dtype);
  // A narrow group shows in the product of its sizes already.
  if (!rate.tensor_cores && kernel.product.batch > 1) return 1;
  return convolution_seconds(kernel) * rate.operations * size_factor(kernel.product, rate) /
         kernel.flops;
}

// Little's law: what is in flight over the time it is on its way. A transposition holds one value
// per thread, so 16-bit values leave a fast memory waiting.
double DeviceRates::share_of_bandwidth(const Kernel& kernel) const {
  const double share = bandwidth_share(kernel.kind);
  if (kernel.kind != KernelKind::transposition) return share;
  const double in_flight =
      multiprocessors_ * kThreads * static_cast<double>(model::size_of(kernel.dtype));
  return std::min(share, in_flight / (kLatency * bandwidth_));
}

double DeviceRates::indexing_seconds(const Kernel& kernel) const {
  return index_rate_ > 0 ? kernel.indexed / index_rate_ : 0;
}

double DeviceRates::as_copy(const Kernel& kernel) const {
  return std::max(kernel.bytes / share_of_bandwidth(kernel), indexing_seconds(kernel) * bandwidth_);
}

double DeviceRates::size_factor(const MatrixProduct& p, const MatrixRate& rate) const {
  if (p.rows <= 0) return 1;
  const double per_multiprocessor = rate.operations / multiprocessors_ / 1e12;
  const double side = kHalfSide * per_multiprocessor;
  const double rows = static_cast<double>(p.rows);
  const double columns = static_cast<double>(p.columns);
  const double depth = static_cast<double>(p.depth);
  const double tiles = std::ceil(rows / kProductTile) * std::ceil(columns / kProductTile) *
                       static_cast<double>(std::max<std::int64_t>(p.batch, 1));
  const double splits = std::clamp(depth / kSplitDepth, 1.0, kMostSplits);
  return approaching(rows, side) * approaching(columns, side) *
         approaching(depth, kHalfDepth * per_multiprocessor) *
         approaching(tiles * splits / multiprocessors_, kHalfWaves);
}

// cuDNN multiplies the inputs of all steps at once, and so the gradients of both weights; only the
// product with the state before waits for its step, alone on the device. Unless one kernel runs all
// steps, the gates of a step are a second kernel, which waits for that product.
double DeviceRates::recurrence_seconds(const Kernel& kernel) const {
  const MatrixRate rate = rate_of(kernel.kind, kernel.dtype);
  MatrixProduct step = kernel.product;
  const auto steps = std::max<std::int64_t>(step.batch, 1);
  step.batch = 1;
  MatrixProduct together = step;
  together.rows = saturating_multiply(step.rows, steps);
  const double waits = is_persistent(kernel) ? 1 : 2;
  const double state = 2 * static_cast<double>(together.rows) * static_cast<double>(step.columns) *
                       static_cast<double>(step.depth);
  const double waiting = std::min(kernel.flops, state);
  return waiting / (rate.operations * size_factor(step, rate)) +
         (kernel.flops - waiting) / (rate.operations * size_factor(together, rate)) +
         kernel.launches * waits * kRecurrentStep;
}

KernelTime DeviceRates::time(const Kernel& kernel) const {
  const double moved = kernel.bytes / (bandwidth_ * share_of_bandwidth(kernel));
  const double started = kernel.launches * kEmptyKernel;
  double computed = kernel.flops / vector_rate_;
  switch (kernel.kind) {
    case KernelKind::transposition: {
      if (!rate_of(KernelKind::convolution, kernel.dtype).tensor_cores) return {};
      break;
    }
    case KernelKind::convolution:
      computed = convolution_seconds(kernel);
      break;
    case KernelKind::matrix_product:
    case KernelKind::attention: {
      const MatrixRate rate = rate_of(kernel.kind, kernel.dtype);
      const bool fused = kernel.kind == KernelKind::attention;
      const double share = fused ? kAttention : size_factor(kernel.product, rate);
      computed = kernel.flops / (rate.operations * share);
      break;
    }
    case KernelKind::recurrence:
      computed = recurrence_seconds(kernel);
      break;
    case KernelKind::depthwise:
      computed = kernel.flops / (vector_peak_ * kDepthwise);
      break;
    case KernelKind::own_depthwise: {
      const double taps = static_cast<double>(kernel.product.depth);
      computed = kernel.flops / (vector_peak_ * kOwnDepthwise * approaching(taps, kHalfTaps));
      break;
    }
    case KernelKind::pointwise:
    case KernelKind::normalisation:
    case KernelKind::pooling:
    case KernelKind::copy:
      computed = std::max(computed, indexing_seconds(kernel));
      break;
  }
  const double working = std::max(computed, moved);
  Bottleneck bottleneck = computed > moved ? Bottleneck::compute : Bottleneck::memory;
  if (started > working) bottleneck = Bottleneck::launches;
  return {working + started, bottleneck};
}

}  // namespace gpulint
