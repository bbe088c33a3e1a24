// The declarations of NCCL by hand against its header, where it is installed; run_abi.sh compiles
// this and runs nothing.

#include "device/nccl_api.h"
#include "probe/same_call.h"

#include <cstddef>
#include <nccl.h>

using namespace gpulint::probe;

namespace {

GPULINT_SAME_CALL(NcclApi::version, ncclGetVersion);
GPULINT_SAME_CALL(NcclApi::unique_id, ncclGetUniqueId);
GPULINT_SAME_CALL(NcclApi::init_rank, ncclCommInitRank);
GPULINT_SAME_CALL(NcclApi::destroy, ncclCommDestroy);
GPULINT_SAME_CALL(NcclApi::group_start, ncclGroupStart);
GPULINT_SAME_CALL(NcclApi::group_end, ncclGroupEnd);
GPULINT_SAME_CALL(NcclApi::all_reduce, ncclAllReduce);
GPULINT_SAME_CALL(NcclApi::all_gather, ncclAllGather);
GPULINT_SAME_CALL(NcclApi::reduce_scatter, ncclReduceScatter);
GPULINT_SAME_CALL(NcclApi::send, ncclSend);
GPULINT_SAME_CALL(NcclApi::receive, ncclRecv);
GPULINT_SAME_CALL(NcclApi::error_text, ncclGetErrorString);
static_assert(sizeof(NcclUniqueId) == sizeof(ncclUniqueId));
static_assert(kNcclSuccess == ncclSuccess);
static_assert(kNcclFloat32 == ncclFloat32);
static_assert(kNcclSum == ncclSum);

}  // namespace
