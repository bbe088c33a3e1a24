#include "device/gemm_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace gpulint::probe {
namespace {

/// What PyTorch gives cuBLASLt from compute capability 9.0 on (CublasHandlePool.cpp).
constexpr Bytes kWorkspace = Bytes::mib(32);
constexpr std::int64_t kMemoryParts = 2;  // a product takes at most this part of the free memory

std::int64_t rounded_up(std::int64_t value, std::int64_t multiple) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() - multiple;
  return (std::clamp<std::int64_t>(value, 1, most) + multiple - 1) / multiple * multiple;
}

/// Kernels compute whole tiles.
GemmShape padded(GemmShape shape, const GemmKernel& kernel) {
  shape.m = rounded_up(shape.m, kernel.tile_m);
  shape.n = rounded_up(shape.n, kernel.tile_n);
  shape.k = rounded_up(shape.k, kernel.depth);
  return shape;
}

/// Several tiles each way, more slices than any kernel has buffers, two products.
GemmShape trial_of(const GemmKernel& kernel) {
  return {.m = 2 * kernel.tile_m, .n = 2 * kernel.tile_n, .k = 5 * kernel.depth, .batch = 2};
}
constexpr GemmShape kLibraryTrial{.m = 128, .n = 256, .k = 192, .batch = 2};

Bytes bytes_of_matrix(std::int64_t batch, std::int64_t rows, std::int64_t columns,
                      std::size_t width) {
  return Bytes::of(static_cast<std::int64_t>(width)) *
         saturating_multiply(batch, saturating_multiply(rows, columns));
}

struct Sizes {
  Bytes a;
  Bytes b;
  Bytes c;
};
/// c as float32, the widest result.
Sizes sizes_of(const GemmShape& shape, NumberFormat format) {
  const std::size_t width = bytes_of_value(format);
  return {bytes_of_matrix(shape.batch, shape.m, shape.k, width),
          bytes_of_matrix(shape.batch, shape.n, shape.k, width),
          bytes_of_matrix(shape.batch, shape.m, shape.n, sizeof(float))};
}

/// Whole words: what is filled counts in them.
std::size_t allocated(Bytes bytes) {
  return static_cast<std::size_t>(rounded_up(bytes.count(), sizeof(std::uint32_t)));
}

/// The matrices of a product; a and b hold random numbers.
struct Operands {
  Operands(Bench& bench, const Sizes& sizes, NumberFormat format)
      : a(bench.cuda(), bench.calls(), allocated(sizes.a)),
        b(bench.cuda(), bench.calls(), allocated(sizes.b)),
        c(bench.cuda(), bench.calls(), allocated(sizes.c)),
        ready(a.ready() && b.ready() && c.ready() && bench.fill(a, format) &&
              bench.fill(b, format)) {}
  DeviceBuffer a;
  DeviceBuffer b;
  DeviceBuffer c;
  bool ready;
};

/// The first `count` values of a buffer.
std::optional<std::vector<double>> read_values(const DeviceBuffer& buffer, std::int64_t count,
                                               NumberFormat format) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * bytes_of_value(format));
  if (!buffer.read(bytes.data(), bytes.size())) return std::nullopt;
  return decoded(bytes, format);
}

}  // namespace

GemmBench::GemmBench(Bench& bench, int compute_capability, Bytes free_memory,
                     const Cublaslt* library)
    : bench_(bench), free_memory_(free_memory), library_(library) {
  for (std::size_t i = 0; i < kNumberFormatCount; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    for (const GemmKernel& kernel : gemm_kernels(format, compute_capability)) {
      candidates_[i].push_back({.kernel = kernel});
    }
  }
}

bool GemmBench::failed(std::string why) {
  bench_.calls().fail(Reason::init_failed, std::move(why));
  return false;
}

GemmBench::Multiply GemmBench::launcher(CudaFunction function, const GemmKernel& kernel,
                                        const GemmShape& shape) {
  const LaunchShape blocks{.columns = static_cast<unsigned>(shape.n / kernel.tile_n),
                           .rows = static_cast<unsigned>(shape.m / kernel.tile_m),
                           .threads = kernel.threads,
                           .layers = static_cast<unsigned>(shape.batch),
                           .shared_bytes = kernel.shared_bytes};
  return [this, function, blocks, shape](CudaAddress c, CudaAddress a, CudaAddress b) {
    auto m = static_cast<int>(shape.m);
    auto n = static_cast<int>(shape.n);
    auto k = static_cast<int>(shape.k);
    return bench_.watch().launch(function, blocks, {&c, &a, &b, &m, &n, &k});
  };
}

GemmBench::Multiply GemmBench::launcher(const LibraryProduct& product,
                                        const DeviceBuffer& workspace) {
  return [this, &product, &workspace](CudaAddress c, CudaAddress a, CudaAddress b) {
    const auto launched = product.launch(bench_.watch().stream(), c, a, b, workspace.address());
    return launched ? true : failed(launched.error().message);
  };
}

bool GemmBench::is_right(const GemmShape& shape, NumberFormat format, NumberFormat result,
                         const Multiply& multiply) {
  const Operands operands(bench_, sizes_of(shape, format), format);
  if (!operands.ready ||
      !multiply(operands.c.address(), operands.a.address(), operands.b.address()) ||
      !bench_.wait()) {
    return false;
  }
  const auto a = read_values(operands.a, shape.batch * shape.m * shape.k, format);
  const auto b = read_values(operands.b, shape.batch * shape.n * shape.k, format);
  const auto c = read_values(operands.c, shape.batch * shape.m * shape.n, result);
  if (!a || !b || !c) return false;
  if (is_product(*c, *a, *b, shape, product_tolerance(format, result))) return true;
  return failed("the product differs from a float64 one");
}

/// The first candidate that multiplies right; nullptr: none, and the calls say why.
const GemmKernel* GemmBench::trusted_kernel(NumberFormat format) {
  failed("no kernel of ours runs this on this GPU");
  for (Candidate& candidate : candidates_[static_cast<std::size_t>(format)]) {
    const GemmKernel& kernel = candidate.kernel;
    if (candidate.trust == Trust::untested) {
      const GemmShape trial = trial_of(kernel);
      CudaFunction function = bench_.kernels().find(kernel.file, kernel.name, kernel.shared_bytes);
      const bool right = function != nullptr && is_right(trial, format, NumberFormat::fp32,
                                                         launcher(function, kernel, trial));
      candidate.trust = right ? Trust::right : Trust::wrong;
      candidate.why = bench_.calls().failure();
      if (!right) refused_.push_back(fmt::format("{}: {}", kernel.name, candidate.why.detail));
    }
    if (candidate.trust == Trust::right) return &kernel;
    bench_.calls().fail(candidate.why.reason, candidate.why.detail);
  }
  return nullptr;
}

bool GemmBench::trusts_library(NumberFormat format) {
  Trust& trust = library_trust_[static_cast<std::size_t>(format)];
  std::string& why = library_why_[static_cast<std::size_t>(format)];
  if (trust == Trust::untested) {
    const auto product = library_->product();
    const DeviceBuffer nothing(bench_.cuda(), bench_.calls(), sizeof(std::uint32_t));
    const auto prepared = product->prepare(kLibraryTrial, format, 0);
    const bool right =
        !prepared ? failed(prepared.error().message)
                  : nothing.ready() && is_right(kLibraryTrial, format, library_result(format),
                                                launcher(*product, nothing));
    trust = right ? Trust::right : Trust::wrong;
    why = bench_.calls().failure().detail;
  }
  return trust == Trust::right || failed(why);
}

bool GemmBench::fits(const GemmShape& shape, NumberFormat format) {
  constexpr std::int64_t kMostValues = std::numeric_limits<int>::max();
  constexpr std::int64_t kMostBlocks = 65535;  // of a launch in y and in z
  constexpr std::int64_t kLeastTile = 128;
  const Sizes sizes = sizes_of(shape, format);
  const bool countable = std::max({shape.m, shape.n, shape.k}) <= kMostValues &&
                         shape.m / kLeastTile <= kMostBlocks && shape.batch <= kMostBlocks;
  const bool small = (sizes.a + sizes.b + sizes.c) * kMemoryParts <= free_memory_;
  return (countable && small) || failed("the product takes too much memory");
}

GemmBench::Samples GemmBench::sample_with(const GemmShape& shape, NumberFormat format,
                                          const SamplePlan& plan, const Multiply& multiply) {
  const Operands operands(bench_, sizes_of(shape, format), format);
  if (!operands.ready) return std::nullopt;
  const auto run = [&] {
    return multiply(operands.c.address(), operands.a.address(), operands.b.address());
  };
  return bench_.sample(run, plan);
}

GemmBench::Samples GemmBench::by_library(const GemmShape& wanted, NumberFormat format,
                                         const SamplePlan& plan) {
  if (library_ == nullptr) failed("there is no library");
  const GemmShape shape = library_shape(wanted, format);
  if (library_ == nullptr || !trusts_library(format) || !fits(shape, format)) return std::nullopt;
  const DeviceBuffer workspace(bench_.cuda(), bench_.calls(), allocated(kWorkspace));
  const auto product = library_->product();
  if (!workspace.ready()) return std::nullopt;
  if (auto prepared = product->prepare(shape, format, workspace.size()); !prepared) {
    failed(prepared.error().message);
    return std::nullopt;
  }
  return sample_with(shape, format, plan, launcher(*product, workspace));
}

GemmBench::Samples GemmBench::by_kernel(const GemmShape& wanted, NumberFormat format,
                                        const SamplePlan& plan) {
  const GemmKernel* kernel = trusted_kernel(format);
  if (kernel == nullptr) return std::nullopt;
  const GemmShape shape = padded(wanted, *kernel);
  CudaFunction function = bench_.kernels().find(kernel->file, kernel->name, kernel->shared_bytes);
  if (function == nullptr || !fits(shape, format)) return std::nullopt;
  return sample_with(shape, format, plan, launcher(function, *kernel, shape));
}

std::optional<std::vector<double>> GemmBench::sample(const GemmShape& shape, NumberFormat format,
                                                     Tier tier, const SamplePlan& plan) {
  return tier == Tier::library ? by_library(shape, format, plan) : by_kernel(shape, format, plan);
}

std::optional<GemmTime> GemmBench::time(const GemmShape& shape, NumberFormat format,
                                        const SamplePlan& plan) {
  for (const Tier tier : {Tier::library, Tier::kernel}) {
    if (tier == Tier::library && library_ == nullptr) continue;
    if (const auto seconds = sample(shape, format, tier, plan)) {
      return GemmTime{tier, timing_of(*seconds)};
    }
  }
  return std::nullopt;
}

}  // namespace gpulint::probe
