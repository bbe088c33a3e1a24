// GEMM and issue ceiling on tensor cores through mma.sync, for compute capability 8.0 and later. On
// 9.0 and 10.0 the cards reach their peak only through wgmma and tcgen05: there this is a lower
// bound.
#include "tile.cuh"

GPULINT_ENTRIES(fp16, MmaFp16)
GPULINT_ENTRIES(bf16, MmaBf16)
GPULINT_ENTRIES(tf32, MmaTf32)
