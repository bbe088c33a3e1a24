// Convolutions. On tensor cores cuDNN multiplies implicitly gathered matrices. Outside of them it
// takes the fastest of that, Winograd's tiles (3 x 3 windows; Lavin and Gray, arXiv:1509.09308) and
// Fourier tiles (windows over one axis): fewer multiplications, more bytes. Their products and
// passes are counted like any other; nothing about them is fitted. Fourier tiles over maps are left
// out: windows of 5 x 5 and more are rare.

#include "base/units.h"
#include "time/time_rates.h"

#include <algorithm>
#include <cmath>

namespace gpulint {
namespace {

using model::Kernel;
using model::MatrixProduct;
using model::Operator;

// Of the achieved rate of tensor cores: implicit products gather their input. Fitted on published
// tables of training throughput (docs/accuracy.md).
constexpr double kTensorConvolution = 0.85;
// Outside of tensor cores a convolution is cut into tiles of so many output channels, and a group
// that has fewer leaves the rest of its tile idle (32 to 128 in cuDNN's kernels). Fitted: chosen on
// ResNeXt in fp32.
constexpr double kGroupTile = 64;
// F(4x4, 3x3): 6 x 6 = 36 values for 16 results.
constexpr std::int64_t kTransformed = 36;
constexpr double kResults = 16;
// The largest tile over one axis; its spectrum has 129 complex values of 8 bytes. The gradient of
// the weight would need a tile as long as the results. cuDNN API reference, FFT_TILING.
constexpr std::int64_t kTile = 256;
constexpr std::int64_t kFrequencies = kTile / 2 + 1;
// A spectrum is spread over as many planes, one value to each; memory moves sectors of 32 bytes.
constexpr double kSpread = 4;
constexpr double kTransformShare = 0.75;  // of the bandwidth, as other transpositions
constexpr double kComplexProduct = 8;     // operations
constexpr double kValue = 4;              // bytes

double as_double(std::int64_t value) { return static_cast<double>(value); }

double tile_share(const MatrixProduct& p) {
  if (p.batch <= 1) return 1;
  const std::int64_t narrow = std::min({p.rows, p.columns, p.depth});
  return std::clamp(as_double(narrow) / kGroupTile, 0.01, 1.0);
}

/// One of `batch` products over `tiles` that stand for the convolution, as this kernel needs it.
MatrixProduct transformed_product(const Kernel& kernel, std::int64_t tiles, std::int64_t batch) {
  const MatrixProduct& p = kernel.convolution->product;
  const std::int64_t in = std::max<std::int64_t>(p.depth / kernel.convolution->window.taps, 1);
  if (kernel.of_weight) return {in, p.columns, tiles, batch};
  return {tiles, p.columns, in, batch};
}

double operations(const MatrixProduct& p) {
  return 2 * as_double(p.rows) * as_double(p.columns) * as_double(p.depth) * as_double(p.batch);
}

}  // namespace

double DeviceRates::winograd_seconds(const Kernel& kernel, const MatrixRate& rate) const {
  const Operator& op = *kernel.convolution;
  const auto product = transformed_product(kernel, op.window.squares, kTransformed);
  const double weights = as_double(op.product.columns) * as_double(op.product.depth) / 9;
  const double channels = as_double(op.product.columns) + as_double(op.product.depth) / 9;
  const double results = as_double(op.window.squares) * kResults * channels;
  const double grown = as_double(kTransformed);
  const double values = results + 2 * results * grown / kResults + 2 * weights * grown;
  return operations(product) / (rate.operations * size_factor(product, rate)) +
         values * kValue / (bandwidth_ * kTransformShare);
}

double DeviceRates::fourier_seconds(const Kernel& kernel, const MatrixRate& rate) const {
  const Operator& op = *kernel.convolution;
  const std::int64_t samples = op.product.rows / std::max<std::int64_t>(op.window.length, 1);
  const std::int64_t kept = kTile - op.window.taps + 1;
  const std::int64_t tiles = saturating_multiply(samples, (op.window.length + kept - 1) / kept);
  const auto product = transformed_product(kernel, tiles, kFrequencies);
  const double in = as_double(op.product.depth / op.window.taps);
  const double out = as_double(op.product.columns);
  const double spectra = (as_double(tiles) * (in + out) + in * out) * 2 * kFrequencies;
  const double values =
      as_double(op.product.rows) * (in + out) + in * out * as_double(op.window.taps);
  return operations(product) * (kComplexProduct / 2) /
             (rate.operations * size_factor(product, rate)) +
         (values + (1 + kSpread) * spectra) * kValue / (bandwidth_ * kTransformShare);
}

double DeviceRates::convolution_seconds(const Kernel& kernel) const {
  const MatrixRate rate = rate_of(kernel.kind, kernel.dtype);
  const double gathered = kernel.flops / (rate.operations * size_factor(kernel.product, rate));
  if (rate.tensor_cores) return gathered / kTensorConvolution;
  const double direct = gathered / tile_share(kernel.product);
  if (kernel.convolution == nullptr || kernel.dtype != model::DType::fp32) return direct;
  const model::PlainWindow& window = kernel.convolution->window;
  if (window.squares > 0) return std::min(direct, winograd_seconds(kernel, rate));
  const std::int64_t longest = kernel.of_weight ? window.length : window.taps;
  if (window.taps < 2 || longest > kTile) return direct;
  return std::min(direct, fourier_seconds(kernel, rate));
}

}  // namespace gpulint
