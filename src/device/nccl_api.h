#pragma once

// The part of NCCL that `confirm --links` calls, declared by hand: a C interface that is the same
// in all releases of version 2. Handles are opaque; numbers are those of nccl.h.

#include <array>
#include <cstddef>

namespace gpulint::probe {

using NcclResult = int;  // ncclResult_t; 0 = success
using NcclCommunicator = void*;

inline constexpr NcclResult kNcclSuccess = 0;
/// ncclDataType_t and ncclRedOp_t
inline constexpr int kNcclFloat32 = 7;
inline constexpr int kNcclSum = 0;

/// ncclUniqueId: whoever knows it may join the communicator.
struct NcclUniqueId {
  std::array<char, 128> bytes{};
};
static_assert(sizeof(NcclUniqueId) == 128);

struct NcclApi {
  NcclResult (*version)(int* version) = nullptr;  // 10000 * major + 100 * minor + patch
  NcclResult (*unique_id)(NcclUniqueId* id) = nullptr;
  NcclResult (*init_rank)(NcclCommunicator* made, int ranks, NcclUniqueId id, int rank) = nullptr;
  NcclResult (*destroy)(NcclCommunicator communicator) = nullptr;
  NcclResult (*group_start)() = nullptr;
  NcclResult (*group_end)() = nullptr;
  NcclResult (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation,
                           NcclCommunicator communicator, void* stream) = nullptr;
  /// `count`: of one rank's part.
  NcclResult (*all_gather)(const void* from, void* to, std::size_t count, int type,
                           NcclCommunicator communicator, void* stream) = nullptr;
  /// `count`: of one rank's result.
  NcclResult (*reduce_scatter)(const void* from, void* to, std::size_t count, int type,
                               int operation, NcclCommunicator communicator,
                               void* stream) = nullptr;
  NcclResult (*send)(const void* from, std::size_t count, int type, int peer,
                     NcclCommunicator communicator, void* stream) = nullptr;
  NcclResult (*receive)(void* to, std::size_t count, int type, int peer,
                        NcclCommunicator communicator, void* stream) = nullptr;
  const char* (*error_text)(NcclResult code) = nullptr;
};

}  // namespace gpulint::probe
