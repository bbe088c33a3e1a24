// The kernels that no GPU has run yet, run on the host as the PTX manual defines their
// instructions: a wrong index, swizzle or barrier shows here.

#include "device/kernels.h"
#include "device/reference.h"
#include "probe/emulated/device.h"
#include "probe/emulated/tensor_map.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

using namespace gpulint::probe;

using Gemm = void(float*, const unsigned char*, const unsigned char*, int, int, int);
using BoxGemm = void(TensorMap, TensorMap, float*, int, int, int, int);
extern "C" {
void gpulint_gemm_fp32(float*, const float*, const float*, int, int, int);
void gpulint_prefetch_gemm_fp32(float*, const float*, const float*, int, int, int);
Gemm gpulint_gemm_tf32, gpulint_gemm_fp16, gpulint_gemm_bf16, gpulint_gemm_fp8;
Gemm gpulint_wide_gemm_tf32, gpulint_wide_gemm_fp16, gpulint_wide_gemm_bf16;
Gemm gpulint_wgmma_gemm_tf32, gpulint_wgmma_gemm_fp16, gpulint_wgmma_gemm_bf16,
    gpulint_wgmma_gemm_fp8;
BoxGemm gpulint_tma_gemm_tf32, gpulint_tma_gemm_fp16, gpulint_tma_gemm_bf16, gpulint_tma_gemm_fp8;
void gpulint_fill(unsigned*, unsigned long long, unsigned, unsigned, unsigned);
}

namespace {

void fp32(float* c, const unsigned char* a, const unsigned char* b, int m, int n, int k) {
  gpulint_gemm_fp32(c, reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b), m, n,
                    k);
}

void prefetch_fp32(float* c, const unsigned char* a, const unsigned char* b, int m, int n, int k) {
  gpulint_prefetch_gemm_fp32(c, reinterpret_cast<const float*>(a),
                             reinterpret_cast<const float*>(b), m, n, k);
}

/// Of the kernels, by the name that `gemm_kernels` gives.
struct Named {
  const char* name;
  Gemm* kernel = nullptr;
  BoxGemm* by_boxes = nullptr;
};
const Named* kernel_named(const char* name) {
  static const Named all[] = {{"gpulint_gemm_fp32", fp32},
                              {"gpulint_prefetch_gemm_fp32", prefetch_fp32},
                              {"gpulint_gemm_tf32", gpulint_gemm_tf32},
                              {"gpulint_gemm_fp16", gpulint_gemm_fp16},
                              {"gpulint_gemm_bf16", gpulint_gemm_bf16},
                              {"gpulint_gemm_fp8", gpulint_gemm_fp8},
                              {"gpulint_wide_gemm_tf32", gpulint_wide_gemm_tf32},
                              {"gpulint_wide_gemm_fp16", gpulint_wide_gemm_fp16},
                              {"gpulint_wide_gemm_bf16", gpulint_wide_gemm_bf16},
                              {"gpulint_wgmma_gemm_tf32", gpulint_wgmma_gemm_tf32},
                              {"gpulint_wgmma_gemm_fp16", gpulint_wgmma_gemm_fp16},
                              {"gpulint_wgmma_gemm_bf16", gpulint_wgmma_gemm_bf16},
                              {"gpulint_wgmma_gemm_fp8", gpulint_wgmma_gemm_fp8},
                              {"gpulint_tma_gemm_tf32", nullptr, gpulint_tma_gemm_tf32},
                              {"gpulint_tma_gemm_fp16", nullptr, gpulint_tma_gemm_fp16},
                              {"gpulint_tma_gemm_bf16", nullptr, gpulint_tma_gemm_bf16},
                              {"gpulint_tma_gemm_fp8", nullptr, gpulint_tma_gemm_fp8}};
  for (const Named& each : all) {
    if (std::strcmp(each.name, name) == 0) return &each;
  }
  return nullptr;
}

std::vector<unsigned> random_words(std::size_t bytes, NumberFormat format, unsigned seed) {
  std::vector<unsigned> words(bytes / 4);
  const RandomBits bits = random_bits(format);
  emulated::launch({1, 1, 1}, 32, 0, [&] {
    gpulint_fill(words.data(), words.size(), seed, bits.keep, bits.exponent);
  });
  return words;
}

std::vector<double> values_of(const std::vector<unsigned>& words, NumberFormat format) {
  return decoded(std::as_bytes(std::span(words)), format);
}

void run(const Named& named, const GemmKernel& kernel, const GemmShape& shape,
         const unsigned char* a, const unsigned char* b, float* c, std::size_t width) {
  const auto m = static_cast<int>(shape.m);
  const auto n = static_cast<int>(shape.n);
  const auto k = static_cast<int>(shape.k);
  const auto batch = static_cast<unsigned>(shape.batch);
  if (kernel.walk == TileWalk::grid) {
    const emulated::Index blocks{static_cast<unsigned>(shape.n / kernel.tile_n),
                                 static_cast<unsigned>(shape.m / kernel.tile_m), batch};
    emulated::launch(blocks, kernel.threads, kernel.shared_bytes,
                     [&] { named.kernel(c, a, b, m, n, k); });
    return;
  }
  const auto map_of = [&](const unsigned char* matrix, int rows) {
    return TensorMap{.first = matrix,
                     .row_bytes = static_cast<std::size_t>(k) * width,
                     .rows = static_cast<unsigned>(rows),
                     .matrices = batch,
                     .box_bytes = kBoxBytes,
                     .box_rows = kBoxRows};
  };
  // One cluster takes all tiles: more than one each way of going on.
  emulated::launch({kClusterBlocks, 1, 1}, kernel.threads, kernel.shared_bytes, [&] {
    named.by_boxes(map_of(a, m), map_of(b, n), c, m, n, k, static_cast<int>(batch));
  }, kClusterBlocks);
}

bool is_right(const GemmKernel& kernel, NumberFormat format, const GemmShape& shape) {
  const Named* named = kernel_named(kernel.name);
  if (named == nullptr) return false;
  const auto count = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<std::size_t>(a * b * c);
  };
  const std::size_t width = bytes_of_value(format);
  const auto a = random_words(count(shape.batch, shape.m, shape.k) * width, format, 1);
  const auto b = random_words(count(shape.batch, shape.n, shape.k) * width, format, 2);
  std::vector<float> c(count(shape.batch, shape.m, shape.n), -1.0F);
  run(*named, kernel, shape, reinterpret_cast<const unsigned char*>(a.data()),
      reinterpret_cast<const unsigned char*>(b.data()), c.data(), width);
  const std::vector<double> product(c.begin(), c.end());
  return is_product(product, values_of(a, format), values_of(b, format), shape,
                    product_tolerance(format, NumberFormat::fp32));
}

int failures = 0;

void check(int compute_capability, NumberFormat format) {
  const auto kernels = gemm_kernels(format, compute_capability);
  if (kernels.empty()) ++failures;
  for (const GemmKernel& kernel : kernels) {
    // Tiles each way, more slices than buffers, two products; one slice alone. The tiles of
    // clusters are large, so these go each way in turn.
    const bool grid = kernel.walk == TileWalk::grid;
    const GemmShape large{(grid ? 2 : 1) * kernel.tile_m, 2 * kernel.tile_n, 5 * kernel.depth, 1};
    const GemmShape batch{(grid ? 1 : 2) * kernel.tile_m, kernel.tile_n, kernel.depth, 2};
    using emulated::Timing;
    const bool asynchronous_products =
        kernel.file == KernelFile::hopper || kernel.file == KernelFile::hopper_tma;
    for (const Timing timing : {Timing{false, false}, Timing{true, true}, Timing{false, true}}) {
      if (timing.late_copies != timing.late_products && !asynchronous_products) continue;
      emulated::timing = timing;
      for (const GemmShape& shape : {large, batch}) {
        if (is_right(kernel, format, shape)) continue;
        std::printf("FAIL: %s, k = %d, %s copies, %s products\n", kernel.name,
                    static_cast<int>(shape.k), timing.late_copies ? "late" : "early",
                    timing.late_products ? "late" : "early");
        ++failures;
      }
    }
  }
}

}  // namespace

int main() {
  check(75, NumberFormat::fp32);
  for (const NumberFormat format :
       {NumberFormat::tf32, NumberFormat::fp16, NumberFormat::bf16, NumberFormat::fp8}) {
    check(90, format);
  }
  if (failures == 0) std::puts("all kernels multiply right");
  return failures == 0 ? 0 : 1;
}
