#include "device/gemm_bench.h"

#include "device/kernel_launch.h"

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

/// Several tiles, more slices than any kernel has buffers, two products. Large tiles are two beside
/// each other alone: the host multiplies too.
GemmShape trial_of(const GemmKernel& kernel) {
  constexpr std::int64_t kLarge = 256;
  const std::int64_t high = kernel.tile_n < kLarge ? 2 : 1;
  return {.m = high * kernel.tile_m, .n = 2 * kernel.tile_n, .k = 5 * kernel.depth, .batch = 2};
}
/// Of the four tiles of the trial one cluster takes two.
constexpr unsigned int kTrialClusters = 3;
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

/// As far apart as allocations are.
std::size_t aligned(std::size_t bytes) {
  constexpr std::int64_t kApart = 256;
  return static_cast<std::size_t>(rounded_up(static_cast<std::int64_t>(bytes), kApart));
}

/// The matrices of a product; a and b hold random numbers. Of a small product there are several
/// sets in turn, so that none finds in the cache what the one before left there.
struct Operands {
  Operands(Bench& bench, const Sizes& sizes, NumberFormat format, std::size_t sets = 1)
      : step_a(aligned(allocated(sizes.a))),
        step_b(aligned(allocated(sizes.b))),
        step_c(aligned(allocated(sizes.c))),
        a(bench.cuda(), bench.calls(), sets * step_a),
        b(bench.cuda(), bench.calls(), sets * step_b),
        c(bench.cuda(), bench.calls(), sets * step_c),
        ready(a.ready() && b.ready() && c.ready() && bench.fill(a, format) &&
              bench.fill(b, format)) {}
  std::size_t step_a;
  std::size_t step_b;
  std::size_t step_c;
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

/// "cuBLASLt bf16": what is running, where that matters.
std::string library_work(NumberFormat format, Fp8Sums sums = Fp8Sums::exact) {
  return fmt::format("cuBLASLt {}{}", name_of(format),
                     sums == Fp8Sums::fast ? " with fast accumulation" : "");
}

std::size_t library_index(NumberFormat format, Fp8Sums sums) {
  return sums == Fp8Sums::fast ? kNumberFormatCount : static_cast<std::size_t>(format);
}

/// Sets of operands that together are twice the cache; few, and within the memory there is.
std::size_t sets_of(const Sizes& sizes, Bytes l2_cache, Bytes most) {
  constexpr std::int64_t kMostSets = 16;
  const std::int64_t one = std::max<std::int64_t>((sizes.a + sizes.b + sizes.c).count(), 1);
  const std::int64_t wanted = (2 * l2_cache.count() + one - 1) / one;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(std::min(wanted, most.count() / one), 1, kMostSets));
}

}  // namespace

GemmBench::GemmBench(Bench& bench, const DeviceReport& device, const Cublaslt* library, bool newest)
    : bench_(bench), free_memory_(device.cuda_free), l2_cache_(device.l2_cache), library_(library) {
  for (std::size_t i = 0; i < kNumberFormatCount; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    for (const GemmKernel& kernel :
         gemm_kernels(format, kernel_generation(device.compute_capability, newest))) {
      candidates_[i].push_back({.kernel = kernel});
    }
  }
}

bool GemmBench::failed(std::string why) {
  bench_.calls().fail(Reason::init_failed, std::move(why));
  return false;
}

GemmBench::Multiply GemmBench::launcher(const LibraryProduct& product, std::string work,
                                        const DeviceBuffer& workspace) {
  return [this, &product, &workspace, work = std::move(work)](CudaAddress c, CudaAddress a,
                                                              CudaAddress b) {
    bench_.calls().begin(work);
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

bool GemmBench::is_trusted(Candidate& candidate, NumberFormat format) {
  const GemmKernel& kernel = candidate.kernel;
  if (candidate.trust == Trust::untested) {
    const GemmShape trial = trial_of(kernel);
    CudaFunction function = bench_.kernels().find(kernel.file, kernel.name, kernel.shared_bytes);
    const bool right = function != nullptr && is_right(trial, format, NumberFormat::fp32,
                                                       KernelLaunch(bench_, function, kernel, trial,
                                                                    format, kTrialClusters));
    candidate.trust = right ? Trust::right : Trust::wrong;
    candidate.why = bench_.calls().failure();
    if (!right) refused_.push_back(fmt::format("{}: {}", kernel.name, candidate.why.detail));
  }
  if (candidate.trust == Trust::right) return true;
  bench_.calls().fail(candidate.why.reason, candidate.why.detail);
  return false;
}

/// Of the first two candidates that multiply right the faster one; nullptr: none, and the calls say
/// why. Which of them is faster depends on the card.
const GemmKernel* GemmBench::trusted_kernel(NumberFormat format) {
  const GemmKernel*& chosen = chosen_[static_cast<std::size_t>(format)];
  if (chosen != nullptr) return chosen;
  failed("no kernel of ours runs this on this GPU");
  for (Candidate& candidate : candidates_[static_cast<std::size_t>(format)]) {
    if (!is_trusted(candidate, format)) continue;
    if (chosen == nullptr) {
      chosen = &candidate.kernel;
      continue;
    }
    const auto first = race(*chosen, format);
    const auto second = race(candidate.kernel, format);
    if (first && second && *second < *first) chosen = &candidate.kernel;
    break;
  }
  return chosen;
}

/// Seconds of a product that fills a card; unset: it has no room or did not run.
std::optional<double> GemmBench::race(const GemmKernel& kernel, NumberFormat format) {
  constexpr std::int64_t kSize = 2048;
  const auto seconds = sample_kernel(kernel, {.m = kSize, .n = kSize, .k = kSize}, format,
                                     {.warm_up = Seconds{0}, .samples = 3});
  if (!seconds) return std::nullopt;
  return timing_of(*seconds).median.value;
}

std::vector<std::string> GemmBench::try_all(NumberFormat format) {
  std::vector<std::string> right;
  for (Candidate& candidate : candidates_[static_cast<std::size_t>(format)]) {
    if (is_trusted(candidate, format)) right.emplace_back(candidate.kernel.name);
  }
  const auto try_library = [&](Fp8Sums sums) {
    const bool trusted = trusts_library(format, sums);
    const std::string work = library_work(format, sums);
    if (trusted) right.push_back(work);
    if (!trusted) refused_.push_back(work + ": " + bench_.calls().failure().detail);
    return trusted;
  };
  if (library_ != nullptr && try_library(Fp8Sums::exact) && format == NumberFormat::fp8) {
    try_library(Fp8Sums::fast);
  }
  return right;
}

std::optional<Seconds> GemmBench::pilot(NumberFormat format, Tier tier) {
  constexpr std::int64_t kSize = 1024;
  const auto seconds = sample({.m = kSize, .n = kSize, .k = kSize}, format, tier,
                              {.warm_up = Seconds{0}, .least_sample = Seconds{0}, .samples = 1});
  if (!seconds) return std::nullopt;
  return Seconds{seconds->front()};
}

bool GemmBench::trusts_library(NumberFormat format, Fp8Sums sums) {
  Trust& trust = library_trust_[library_index(format, sums)];
  std::string& why = library_why_[library_index(format, sums)];
  const std::string work = library_work(format, sums);
  if (std::find(left_out_.begin(), left_out_.end(), work) != left_out_.end()) {
    return failed(std::string(kBrokeContext));
  }
  if (trust == Trust::untested) {
    const auto product = library_->product(sums);
    const DeviceBuffer nothing(bench_.cuda(), bench_.calls(), sizeof(std::uint32_t));
    const auto prepared = product->prepare(kLibraryTrial, format, 0);
    const bool right =
        !prepared ? failed(prepared.error().message)
                  : nothing.ready() && is_right(kLibraryTrial, format, library_result(format),
                                                launcher(*product, work, nothing));
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
  const Sizes sizes = sizes_of(shape, format);
  const std::size_t sets =
      sets_of(sizes, l2_cache_, Bytes::of(free_memory_.count() / (2 * kMemoryParts)));
  const Operands operands(bench_, sizes, format, sets);
  if (!operands.ready) return std::nullopt;
  std::size_t set = 0;
  const auto run = [&] {
    set = (set + 1) % sets;
    return multiply(operands.c.address() + set * operands.step_c,
                    operands.a.address() + set * operands.step_a,
                    operands.b.address() + set * operands.step_b);
  };
  return bench_.sample(run, plan);
}

GemmBench::Samples GemmBench::by_library(const GemmShape& wanted, NumberFormat format,
                                         const SamplePlan& plan, Fp8Sums sums) {
  if (library_ == nullptr) failed("there is no library");
  const GemmShape shape = library_shape(wanted, format);
  if (library_ == nullptr || !trusts_library(format, sums) || !fits(shape, format)) return std::nullopt;
  const DeviceBuffer workspace(bench_.cuda(), bench_.calls(), allocated(kWorkspace));
  const auto product = library_->product(sums);
  if (!workspace.ready()) return std::nullopt;
  if (auto prepared = product->prepare(shape, format, workspace.size()); !prepared) {
    failed(prepared.error().message);
    return std::nullopt;
  }
  return sample_with(shape, format, plan, launcher(*product, library_work(format, sums), workspace));
}

GemmBench::Samples GemmBench::by_kernel(const GemmShape& wanted, NumberFormat format,
                                        const SamplePlan& plan) {
  const GemmKernel* kernel = trusted_kernel(format);
  if (kernel == nullptr) return std::nullopt;
  return sample_kernel(*kernel, wanted, format, plan);
}

GemmBench::Samples GemmBench::sample_kernel(const GemmKernel& kernel, const GemmShape& wanted,
                                            NumberFormat format, const SamplePlan& plan) {
  const GemmShape shape = padded(wanted, kernel);
  CudaFunction function = bench_.kernels().find(kernel.file, kernel.name, kernel.shared_bytes);
  if (function == nullptr || !fits(shape, format)) return std::nullopt;
  return sample_with(shape, format, plan, KernelLaunch(bench_, function, kernel, shape, format));
}

std::optional<std::vector<double>> GemmBench::sample(const GemmShape& shape, NumberFormat format,
                                                     Tier tier, const SamplePlan& plan) {
  return tier == Tier::library ? by_library(shape, format, plan) : by_kernel(shape, format, plan);
}

std::optional<std::vector<double>> GemmBench::sample_fast_fp8(const GemmShape& shape) {
  return by_library(shape, NumberFormat::fp8, {}, Fp8Sums::fast);
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
