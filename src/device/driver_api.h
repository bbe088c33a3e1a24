#pragma once

// The part of the CUDA driver API and of NVML that `confirm` calls, declared by hand: building
// needs neither the CUDA toolkit nor a driver, and the binary starts where there is none. Both are
// stable C interfaces; names with _v2 are the symbols the libraries export.

#include "device/nvml_node_api.h"
#include "device/peer_api.h"
#include "device/tensor_map_api.h"
#include "device/virtual_memory_api.h"

#include <cstddef>
#include <cstdint>

namespace gpulint::probe {

using CudaResult = int;  // CUresult; 0 = success
using CudaDevice = int;  // CUdevice
using CudaContext = void*;
using CudaModule = void*;
using CudaFunction = void*;
using CudaStream = void*;
using CudaEvent = void*;
using CudaAddress = unsigned long long;  // CUdeviceptr
using NvmlResult = int;                  // nvmlReturn_t; 0 = success
using NvmlDevice = void*;

inline constexpr CudaResult kCudaSuccess = 0;
inline constexpr CudaResult kCudaErrorOutOfMemory = 2;
inline constexpr NvmlResult kNvmlSuccess = 0;
inline constexpr NvmlResult kNvmlInsufficientSize = 7;

/// CUdevice_attribute, as cuda.h numbers them.
inline constexpr int kAttributeMultiprocessorCount = 16;
inline constexpr int kAttributeKernelTimeout = 17;  // set where a screen hangs on the device
inline constexpr int kAttributeIntegrated = 18;     // its memory is the host's
inline constexpr int kAttributeComputeMode = 20;
inline constexpr int kAttributeL2CacheSize = 38;  // bytes
inline constexpr int kAttributeComputeCapabilityMajor = 75;
inline constexpr int kAttributeComputeCapabilityMinor = 76;
inline constexpr int kAttributeHostPageTables = 100;  // memory is one with the host's (GH200)
inline constexpr int kAttributeVirtualMemory = 102;
inline constexpr int kComputeModeProhibited = 2;
/// CUfunction_attribute: bytes of shared memory a launch may ask for.
inline constexpr int kFunctionMaxDynamicShared = 8;

/// nvmlMemory_v2_t, all sizes in bytes.
struct NvmlMemory {
  unsigned int version = 0;
  unsigned long long total = 0;
  unsigned long long reserved = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
static_assert(sizeof(NvmlMemory) == 40);
/// nvmlMemory_t, which counts what the driver reserves as used.
struct NvmlOldMemory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
/// NVML_STRUCT_VERSION(Memory, 2)
inline constexpr unsigned int kNvmlMemoryVersion = sizeof(NvmlMemory) | (2U << 24);

/// The function table everything above the loader calls; the tests fill it from a fake driver.
/// From `error_name` on each may be null; timing needs the rest down to
/// `event_elapsed` (`can_time`).
struct CudaApi {
  CudaResult (*init)(unsigned int flags) = nullptr;
  CudaResult (*driver_version)(int* version) = nullptr;
  CudaResult (*device_count)(int* count) = nullptr;
  CudaResult (*device_at)(CudaDevice* device, int ordinal) = nullptr;
  CudaResult (*device_name)(char* name, int size, CudaDevice device) = nullptr;
  CudaResult (*device_attribute)(int* value, int attribute, CudaDevice device) = nullptr;
  CudaResult (*device_total_memory)(std::size_t* bytes, CudaDevice device) = nullptr;
  CudaResult (*device_pci_bus_id)(char* id, int size, CudaDevice device) = nullptr;
  CudaResult (*primary_context_retain)(CudaContext* context, CudaDevice device) = nullptr;
  CudaResult (*primary_context_release)(CudaDevice device) = nullptr;
  CudaResult (*set_current_context)(CudaContext context) = nullptr;
  CudaResult (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  CudaResult (*error_name)(CudaResult code, const char** name) = nullptr;
  CudaResult (*module_load)(CudaModule* module, const void* image) = nullptr;
  CudaResult (*module_unload)(CudaModule module) = nullptr;
  CudaResult (*module_function)(CudaFunction* function, CudaModule module,
                                const char* name) = nullptr;
  CudaResult (*launch)(CudaFunction function, unsigned int grid_x, unsigned int grid_y,
                       unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                       unsigned int block_z, unsigned int shared_bytes, CudaStream stream,
                       void** arguments, void** extra) = nullptr;
  CudaResult (*allocate)(CudaAddress* address, std::size_t bytes) = nullptr;
  CudaResult (*free)(CudaAddress address) = nullptr;
  CudaResult (*copy_to_host)(void* to, CudaAddress from, std::size_t bytes) = nullptr;
  CudaResult (*stream_create)(CudaStream* stream, unsigned int flags) = nullptr;
  CudaResult (*stream_destroy)(CudaStream stream) = nullptr;
  CudaResult (*event_create)(CudaEvent* event, unsigned int flags) = nullptr;
  CudaResult (*event_destroy)(CudaEvent event) = nullptr;
  CudaResult (*event_record)(CudaEvent event, CudaStream stream) = nullptr;
  CudaResult (*event_synchronize)(CudaEvent event) = nullptr;
  CudaResult (*event_elapsed)(float* milliseconds, CudaEvent start, CudaEvent end) = nullptr;
  CudaResult (*function_attribute)(CudaFunction function, int attribute, int value) = nullptr;
  CudaResult (*host_allocate)(void** memory, std::size_t bytes) = nullptr;  // page-locked
  CudaResult (*host_free)(void* memory) = nullptr;
  CudaResult (*upload)(CudaAddress to, const void* from, std::size_t bytes,
                       CudaStream stream) = nullptr;
  CudaResult (*download)(void* to, CudaAddress from, std::size_t bytes,
                         CudaStream stream) = nullptr;
  CudaResult (*copy_on_device)(CudaAddress to, CudaAddress from, std::size_t bytes,
                               CudaStream stream) = nullptr;
  CudaResult (*fill_words)(CudaAddress address, unsigned int value, std::size_t words,
                           CudaStream stream) = nullptr;
  CudaResult (*synchronize)() = nullptr;
  VirtualMemoryApi virtual_memory;
  PeerApi peer;
  TensorMapApi tensor_maps;
};

/// Whether every function that timing calls is there.
bool can_time(const CudaApi& cuda);

/// From `memory_info` on each may be null: what it answers is then unknown.
struct NvmlApi {
  NvmlResult (*init)() = nullptr;
  NvmlResult (*shutdown)() = nullptr;
  NvmlResult (*driver_version)(char* version, unsigned int size) = nullptr;
  NvmlResult (*device_by_pci_bus_id)(const char* id, NvmlDevice* device) = nullptr;
  NvmlResult (*memory_info)(NvmlDevice device, NvmlMemory* memory) = nullptr;  // from R510 on
  NvmlResult (*old_memory_info)(NvmlDevice device, NvmlOldMemory* memory) = nullptr;
  /// With *count = 0 and no array: only the number of processes, as kNvmlInsufficientSize.
  NvmlResult (*process_count)(NvmlDevice device, unsigned int* count, void* infos) = nullptr;
  NvmlResult (*pcie_width)(NvmlDevice device, unsigned int* lanes) = nullptr;
  NvmlResult (*pcie_max_width)(NvmlDevice device, unsigned int* lanes) = nullptr;
  NvmlResult (*pcie_generation)(NvmlDevice device, unsigned int* generation) = nullptr;
  NvmlResult (*pcie_max_generation)(NvmlDevice device, unsigned int* generation) = nullptr;
  NvmlResult (*throttle_reasons)(NvmlDevice device, unsigned long long* bits) = nullptr;
  NvmlResult (*display_active)(NvmlDevice device, int* active) = nullptr;  // drives a screen
  NvmlResult (*display_mode)(NvmlDevice device, int* connected) = nullptr;
  NvmlResult (*clock)(NvmlDevice device, unsigned int type, unsigned int* megahertz) = nullptr;
  NvmlResult (*power)(NvmlDevice device, unsigned int* milliwatts) = nullptr;
  NvmlResult (*power_limit)(NvmlDevice device, unsigned int* milliwatts) = nullptr;
  NvmlResult (*temperature)(NvmlDevice device, unsigned int sensor,
                            unsigned int* celsius) = nullptr;
  NvmlNodeApi node;
};

}  // namespace gpulint::probe
