// The declarations by hand against NVIDIA's header, where it is installed; run_abi.sh compiles this
// and runs nothing.

#include "device/driver_api.h"
#include "probe/same_call.h"

#include <cstddef>
#include <cuda.h>

using namespace gpulint::probe;

namespace {

GPULINT_SAME_CALL(CudaApi::init, cuInit);
GPULINT_SAME_CALL(CudaApi::driver_version, cuDriverGetVersion);
GPULINT_SAME_CALL(CudaApi::device_count, cuDeviceGetCount);
GPULINT_SAME_CALL(CudaApi::device_at, cuDeviceGet);
GPULINT_SAME_CALL(CudaApi::device_name, cuDeviceGetName);
GPULINT_SAME_CALL(CudaApi::device_attribute, cuDeviceGetAttribute);
GPULINT_SAME_CALL(CudaApi::device_total_memory, cuDeviceTotalMem);
GPULINT_SAME_CALL(CudaApi::device_pci_bus_id, cuDeviceGetPCIBusId);
GPULINT_SAME_CALL(CudaApi::primary_context_retain, cuDevicePrimaryCtxRetain);
GPULINT_SAME_CALL(CudaApi::primary_context_release, cuDevicePrimaryCtxRelease);
GPULINT_SAME_CALL(CudaApi::set_current_context, cuCtxSetCurrent);
GPULINT_SAME_CALL(CudaApi::memory_info, cuMemGetInfo);
GPULINT_SAME_CALL(CudaApi::error_name, cuGetErrorName);
GPULINT_SAME_CALL(CudaApi::module_load, cuModuleLoadData);
GPULINT_SAME_CALL(CudaApi::module_unload, cuModuleUnload);
GPULINT_SAME_CALL(CudaApi::module_function, cuModuleGetFunction);
GPULINT_SAME_CALL(CudaApi::launch, cuLaunchKernel);
GPULINT_SAME_CALL(CudaApi::allocate, cuMemAlloc);
GPULINT_SAME_CALL(CudaApi::free, cuMemFree);
GPULINT_SAME_CALL(CudaApi::copy_to_host, cuMemcpyDtoH);
GPULINT_SAME_CALL(CudaApi::stream_create, cuStreamCreate);
GPULINT_SAME_CALL(CudaApi::stream_destroy, cuStreamDestroy);
GPULINT_SAME_CALL(CudaApi::event_create, cuEventCreate);
GPULINT_SAME_CALL(CudaApi::event_destroy, cuEventDestroy);
GPULINT_SAME_CALL(CudaApi::event_record, cuEventRecord);
GPULINT_SAME_CALL(CudaApi::event_synchronize, cuEventSynchronize);
GPULINT_SAME_CALL(CudaApi::event_elapsed, cuEventElapsedTime);
GPULINT_SAME_CALL(CudaApi::function_attribute, cuFuncSetAttribute);
GPULINT_SAME_CALL(CudaApi::host_allocate, cuMemAllocHost);
GPULINT_SAME_CALL(CudaApi::host_free, cuMemFreeHost);
GPULINT_SAME_CALL(CudaApi::upload, cuMemcpyHtoDAsync);
GPULINT_SAME_CALL(CudaApi::download, cuMemcpyDtoHAsync);
GPULINT_SAME_CALL(CudaApi::copy_on_device, cuMemcpyDtoDAsync);
GPULINT_SAME_CALL(CudaApi::fill_words, cuMemsetD32Async);
GPULINT_SAME_CALL(CudaApi::synchronize, cuCtxSynchronize);
GPULINT_SAME_CALL(PeerApi::can_access, cuDeviceCanAccessPeer);
GPULINT_SAME_CALL(PeerApi::enable, cuCtxEnablePeerAccess);
GPULINT_SAME_CALL(PeerApi::disable, cuCtxDisablePeerAccess);
GPULINT_SAME_CALL(PeerApi::copy, cuMemcpyPeerAsync);
GPULINT_SAME_CALL(PeerApi::stream_wait, cuStreamWaitEvent);
// Introduced by CUDA 12.0.
#if CUDA_VERSION >= 12000
GPULINT_SAME_CALL(TensorMapApi::encode_tiled, cuTensorMapEncodeTiled);
static_assert(sizeof(CudaTensorMap) == sizeof(CUtensorMap) && alignof(CUtensorMap) <= 128);
static_assert(kTensorOfBytes == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(kNoInterleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(kSwizzle128 == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(kPromoteTo256Bytes == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(kZerosOutside == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
#endif
GPULINT_SAME_CALL(VirtualMemoryApi::granularity, cuMemGetAllocationGranularity);
GPULINT_SAME_CALL(VirtualMemoryApi::reserve, cuMemAddressReserve);
GPULINT_SAME_CALL(VirtualMemoryApi::free_address, cuMemAddressFree);
GPULINT_SAME_CALL(VirtualMemoryApi::create, cuMemCreate);
GPULINT_SAME_CALL(VirtualMemoryApi::release, cuMemRelease);
GPULINT_SAME_CALL(VirtualMemoryApi::map, cuMemMap);
GPULINT_SAME_CALL(VirtualMemoryApi::unmap, cuMemUnmap);
GPULINT_SAME_CALL(VirtualMemoryApi::set_access, cuMemSetAccess);

static_assert(sizeof(CudaMemoryProperties) == sizeof(CUmemAllocationProp));
GPULINT_SAME_MEMBER(CudaMemoryProperties, type, CUmemAllocationProp, type);
GPULINT_SAME_MEMBER(CudaMemoryProperties, handle_types, CUmemAllocationProp, requestedHandleTypes);
GPULINT_SAME_MEMBER(CudaMemoryProperties, location, CUmemAllocationProp, location);
GPULINT_SAME_MEMBER(CudaMemoryProperties, windows_metadata, CUmemAllocationProp,
                    win32HandleMetaData);
GPULINT_SAME_MEMBER(CudaMemoryProperties, flags, CUmemAllocationProp, allocFlags);
static_assert(sizeof(CudaMemoryAccess) == sizeof(CUmemAccessDesc));
GPULINT_SAME_MEMBER(CudaMemoryAccess, location, CUmemAccessDesc, location);
GPULINT_SAME_MEMBER(CudaMemoryAccess, flags, CUmemAccessDesc, flags);

static_assert(kAllocationPinned == CU_MEM_ALLOCATION_TYPE_PINNED);
static_assert(kLocationDevice == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(kAccessReadWrite == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
static_assert(kGranularityMinimum == CU_MEM_ALLOC_GRANULARITY_MINIMUM);
static_assert(kAttributeMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kAttributeKernelTimeout == CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
static_assert(kAttributeIntegrated == CU_DEVICE_ATTRIBUTE_INTEGRATED);
static_assert(kAttributeComputeMode == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
static_assert(kAttributeL2CacheSize == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(kAttributeComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kAttributeComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kAttributeHostPageTables ==
              CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
static_assert(kAttributeVirtualMemory == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
static_assert(kComputeModeProhibited == CU_COMPUTEMODE_PROHIBITED);
static_assert(kCudaSuccess == CUDA_SUCCESS);
static_assert(kCudaPeerAlreadyEnabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);

}  // namespace
