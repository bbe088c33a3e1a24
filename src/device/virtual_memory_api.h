#pragma once

// The driver's virtual memory functions, as cuda.h declares them: address space, physical memory
// and the mapping between them are three things.

#include <cstddef>

namespace gpulint::probe {

using CudaMemoryHandle = unsigned long long;  // CUmemGenericAllocationHandle

/// CUmemLocation
struct CudaMemoryLocation {
  int type = 0;
  int id = 0;
};
inline constexpr int kLocationDevice = 1;

/// CUmemAllocationProp
struct CudaMemoryProperties {
  int type = 0;
  int handle_types = 0;  // none: shared with nobody
  CudaMemoryLocation location;
  void* windows_metadata = nullptr;
  unsigned char flags[8] = {};
};
// With pointers of 64 bits; the playground has 32 and no driver.
static_assert(sizeof(void*) != 8 || sizeof(CudaMemoryProperties) == 32);
inline constexpr int kAllocationPinned = 1;  // resident on the device

/// CUmemAccessDesc
struct CudaMemoryAccess {
  CudaMemoryLocation location;
  int flags = 0;
};
static_assert(sizeof(CudaMemoryAccess) == 12);
inline constexpr int kAccessReadWrite = 3;

inline constexpr int kGranularityMinimum = 0;

/// Each may be null, and the device may not support them: kAttributeVirtualMemory.
struct VirtualMemoryApi {
  int (*granularity)(std::size_t* bytes, const CudaMemoryProperties* properties,
                     int option) = nullptr;
  int (*reserve)(unsigned long long* address, std::size_t bytes, std::size_t alignment,
                 unsigned long long wanted, unsigned long long flags) = nullptr;
  int (*free_address)(unsigned long long address, std::size_t bytes) = nullptr;
  int (*create)(CudaMemoryHandle* handle, std::size_t bytes, const CudaMemoryProperties* properties,
                unsigned long long flags) = nullptr;
  int (*release)(CudaMemoryHandle handle) = nullptr;
  int (*map)(unsigned long long address, std::size_t bytes, std::size_t offset,
             CudaMemoryHandle handle, unsigned long long flags) = nullptr;
  int (*unmap)(unsigned long long address, std::size_t bytes) = nullptr;
  int (*set_access)(unsigned long long address, std::size_t bytes, const CudaMemoryAccess* access,
                    std::size_t count) = nullptr;

  bool complete() const {
    return granularity != nullptr && reserve != nullptr && free_address != nullptr &&
           create != nullptr && release != nullptr && map != nullptr && unmap != nullptr &&
           set_access != nullptr;
  }
};

}  // namespace gpulint::probe
