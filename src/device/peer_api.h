#pragma once

// The part of the CUDA driver API that joins several devices; driver_api.h says how it is declared.

#include <cstddef>

namespace gpulint::probe {

/// CUresult of cuCtxEnablePeerAccess where it was enabled before.
inline constexpr int kCudaPeerAlreadyEnabled = 704;

struct PeerApi {
  int (*can_access)(int* can, int device, int peer) = nullptr;
  int (*enable)(void* peer_context, unsigned int flags) = nullptr;
  int (*disable)(void* peer_context) = nullptr;
  int (*copy)(unsigned long long to, void* to_context, unsigned long long from, void* from_context,
              std::size_t bytes, void* stream) = nullptr;
  int (*stream_wait)(void* stream, void* event, unsigned int flags) = nullptr;

  bool complete() const {
    return can_access != nullptr && enable != nullptr && disable != nullptr && copy != nullptr &&
           stream_wait != nullptr;
  }
};

}  // namespace gpulint::probe
