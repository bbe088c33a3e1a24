// GEMM and issue ceiling of e4m3 through mma.sync, for compute capability 8.9 and later: its own
// file because the instruction needs a newer PTX, and so a newer driver, than the others.
#include "tile.cuh"

GPULINT_ENTRIES(fp8, MmaFp8)
