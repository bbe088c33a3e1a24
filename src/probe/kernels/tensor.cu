// GEMM and issue ceiling on tensor cores through mma.sync, for compute capability 8.0 and later. On
// 9.0 and 10.0 the cards reach their peak only through wgmma and tcgen05: there this is a lower
// bound.
#include "tile.cuh"

namespace {

GPULINT_FORMAT(Fp16, 2, "m16n8k16", "f16.f16");
GPULINT_FORMAT(Bf16, 2, "m16n8k16", "bf16.bf16");
GPULINT_FORMAT(Tf32, 4, "m16n8k8", "tf32.tf32");

}  // namespace

GPULINT_ENTRIES(fp16, Fp16)
GPULINT_ENTRIES(bf16, Bf16)
GPULINT_ENTRIES(tf32, Tf32)
