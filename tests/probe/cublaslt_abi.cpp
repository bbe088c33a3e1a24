// The declarations of cuBLASLt by hand against its headers, where they are installed; run_abi.sh
// compiles this and runs nothing.

#include "device/cublaslt_api.h"
#include "probe/same_call.h"

#include <cstddef>
#include <cublasLt.h>

using namespace gpulint::probe;

namespace {

GPULINT_SAME_CALL(CublasltApi::version, cublasLtGetVersion);
GPULINT_SAME_CALL(CublasltApi::create, cublasLtCreate);
GPULINT_SAME_CALL(CublasltApi::destroy, cublasLtDestroy);
GPULINT_SAME_CALL(CublasltApi::desc_create, cublasLtMatmulDescCreate);
GPULINT_SAME_CALL(CublasltApi::desc_destroy, cublasLtMatmulDescDestroy);
GPULINT_SAME_CALL(CublasltApi::desc_set, cublasLtMatmulDescSetAttribute);
GPULINT_SAME_CALL(CublasltApi::layout_create, cublasLtMatrixLayoutCreate);
GPULINT_SAME_CALL(CublasltApi::layout_destroy, cublasLtMatrixLayoutDestroy);
GPULINT_SAME_CALL(CublasltApi::layout_set, cublasLtMatrixLayoutSetAttribute);
GPULINT_SAME_CALL(CublasltApi::preference_create, cublasLtMatmulPreferenceCreate);
GPULINT_SAME_CALL(CublasltApi::preference_destroy, cublasLtMatmulPreferenceDestroy);
GPULINT_SAME_CALL(CublasltApi::preference_set, cublasLtMatmulPreferenceSetAttribute);
GPULINT_SAME_CALL(CublasltApi::heuristic, cublasLtMatmulAlgoGetHeuristic);
GPULINT_SAME_CALL(CublasltApi::matmul, cublasLtMatmul);

static_assert(kCublasSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(kCublasFloat32 == CUDA_R_32F);
static_assert(kCublasFloat16 == CUDA_R_16F);
static_assert(kCublasBfloat16 == CUDA_R_16BF);
static_assert(kCublasFloat8E4m3 == CUDA_R_8F_E4M3);
static_assert(kCublasCompute32F == CUBLAS_COMPUTE_32F);
static_assert(kCublasCompute32FFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(kCublasDescTransposeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(kCublasDescFastAccumulation == CUBLASLT_MATMUL_DESC_FAST_ACCUM);
static_assert(kCublasTranspose == CUBLAS_OP_T && sizeof(cublasOperation_t) == 4);
static_assert(kCublasLayoutBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(kCublasLayoutStridedBatchOffset == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(kCublasPreferenceWorkspace == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);

static_assert(sizeof(CublasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(alignof(CublasAlgorithm) == alignof(cublasLtMatmulAlgo_t));
static_assert(sizeof(CublasHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(CublasHeuristic, algorithm) ==
              offsetof(cublasLtMatmulHeuristicResult_t, algo));
static_assert(offsetof(CublasHeuristic, workspace) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(CublasHeuristic, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(offsetof(CublasHeuristic, waves) ==
              offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

}  // namespace
