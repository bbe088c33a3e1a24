#include "device/driver.h"

#include "host/library.h"

#include <fmt/format.h>

namespace gpulint::probe {
namespace {

void find_virtual_memory(SymbolTable& table, VirtualMemoryApi& api) {
  table.want(api.granularity, "cuMemGetAllocationGranularity");
  table.want(api.reserve, "cuMemAddressReserve");
  table.want(api.free_address, "cuMemAddressFree");
  table.want(api.create, "cuMemCreate");
  table.want(api.release, "cuMemRelease");
  table.want(api.map, "cuMemMap");
  table.want(api.unmap, "cuMemUnmap");
  table.want(api.set_access, "cuMemSetAccess");
}

void find_peers(SymbolTable& table, PeerApi& api) {
  table.want(api.can_access, "cuDeviceCanAccessPeer");
  table.want(api.enable, "cuCtxEnablePeerAccess");
  table.want(api.disable, "cuCtxDisablePeerAccess");
  table.want(api.copy, "cuMemcpyPeerAsync");
  table.want(api.stream_wait, "cuStreamWaitEvent");
}

CudaApi cuda_functions(SymbolTable& table) {
  CudaApi api;
  table.need(api.init, "cuInit");
  table.need(api.driver_version, "cuDriverGetVersion");
  table.need(api.device_count, "cuDeviceGetCount");
  table.need(api.device_at, "cuDeviceGet");
  table.need(api.device_name, "cuDeviceGetName");
  table.need(api.device_attribute, "cuDeviceGetAttribute");
  table.need(api.device_total_memory, "cuDeviceTotalMem_v2");
  table.need(api.device_pci_bus_id, "cuDeviceGetPCIBusId");
  table.need(api.primary_context_retain, "cuDevicePrimaryCtxRetain");
  table.need(api.primary_context_release, "cuDevicePrimaryCtxRelease_v2");
  table.need(api.set_current_context, "cuCtxSetCurrent");
  table.need(api.memory_info, "cuMemGetInfo_v2");
  table.want(api.error_name, "cuGetErrorName");
  table.want(api.module_load, "cuModuleLoadData");
  table.want(api.module_unload, "cuModuleUnload");
  table.want(api.module_function, "cuModuleGetFunction");
  table.want(api.launch, "cuLaunchKernel");
  table.want(api.allocate, "cuMemAlloc_v2");
  table.want(api.free, "cuMemFree_v2");
  table.want(api.copy_to_host, "cuMemcpyDtoH_v2");
  table.want(api.stream_create, "cuStreamCreate");
  table.want(api.stream_destroy, "cuStreamDestroy_v2");
  table.want(api.event_create, "cuEventCreate");
  table.want(api.event_destroy, "cuEventDestroy_v2");
  table.want(api.event_record, "cuEventRecord");
  table.want(api.event_synchronize, "cuEventSynchronize");
  table.want(api.event_elapsed, "cuEventElapsedTime");
  table.want(api.function_attribute, "cuFuncSetAttribute");
  table.want(api.host_allocate, "cuMemAllocHost_v2");
  table.want(api.host_free, "cuMemFreeHost");
  table.want(api.upload, "cuMemcpyHtoDAsync_v2");
  table.want(api.download, "cuMemcpyDtoHAsync_v2");
  table.want(api.copy_on_device, "cuMemcpyDtoDAsync_v2");
  table.want(api.fill_words, "cuMemsetD32Async");
  table.want(api.synchronize, "cuCtxSynchronize");
  table.want(api.tensor_maps.encode_tiled, "cuTensorMapEncodeTiled");
  find_virtual_memory(table, api.virtual_memory);
  find_peers(table, api.peer);
  return api;
}

void find_node_functions(SymbolTable& table, NvmlNodeApi& api) {
  table.want(api.common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
  table.want(api.nvlink_state, "nvmlDeviceGetNvLinkState");
  table.want(api.nvlink_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  table.want(api.nvlink_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType");
  table.want(api.ecc_mode, "nvmlDeviceGetEccMode");
  table.want(api.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  table.want(api.remapped_rows, "nvmlDeviceGetRemappedRows");
  table.want(api.retired_pages, "nvmlDeviceGetRetiredPages");
  table.want(api.uuid, "nvmlDeviceGetUUID");
  table.want(api.event_set_create, "nvmlEventSetCreate");
  table.want(api.event_set_free, "nvmlEventSetFree");
  table.want(api.register_events, "nvmlDeviceRegisterEvents");
  table.want(api.event_wait, "nvmlEventSetWait_v2");
}

std::optional<NvmlApi> load_nvml(const std::string& name) {
  const Result<Library> library = Library::open(name);
  if (!library) return std::nullopt;
  SymbolTable table(*library);
  NvmlApi api;
  table.need(api.init, "nvmlInit_v2");
  table.need(api.shutdown, "nvmlShutdown");
  table.need(api.driver_version, "nvmlSystemGetDriverVersion");
  table.need(api.device_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  table.want(api.memory_info, "nvmlDeviceGetMemoryInfo_v2");
  table.want(api.old_memory_info, "nvmlDeviceGetMemoryInfo");
  // Only the number is asked for, which all versions give alike.
  for (const char* version :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses"}) {
    if (api.process_count == nullptr) table.want(api.process_count, version);
  }
  table.want(api.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  table.want(api.pcie_max_width, "nvmlDeviceGetMaxPcieLinkWidth");
  table.want(api.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  table.want(api.pcie_max_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  table.want(api.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  table.want(api.display_active, "nvmlDeviceGetDisplayActive");
  table.want(api.display_mode, "nvmlDeviceGetDisplayMode");
  table.want(api.clock, "nvmlDeviceGetClockInfo");
  table.want(api.power, "nvmlDeviceGetPowerUsage");
  table.want(api.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  table.want(api.temperature, "nvmlDeviceGetTemperature");
  find_node_functions(table, api.node);
  if (!table.missing().empty()) return std::nullopt;
  return api;
}

}  // namespace

bool can_time(const CudaApi& cuda) {
  return cuda.module_load != nullptr && cuda.module_unload != nullptr &&
         cuda.module_function != nullptr && cuda.launch != nullptr && cuda.allocate != nullptr &&
         cuda.free != nullptr && cuda.copy_to_host != nullptr && cuda.stream_create != nullptr &&
         cuda.stream_destroy != nullptr && cuda.event_create != nullptr &&
         cuda.event_destroy != nullptr && cuda.event_record != nullptr &&
         cuda.event_synchronize != nullptr && cuda.event_elapsed != nullptr;
}

std::variant<Driver, Unavailable> load_driver(const DriverLibraries& libraries,
                                              const MachineFacts& machine) {
  const Result<Library> library = Library::open(libraries.cuda);
  if (!library) {
    MachineFacts facts = machine;
    facts.static_program = !can_load_libraries();
    return explain_missing_driver(library.error().message, facts);
  }
  SymbolTable table(*library);
  Driver driver{.cuda = cuda_functions(table), .nvml = {}, .cuda_path = library->path()};
  if (!table.missing().empty()) {
    return Unavailable{Reason::incomplete_driver,
                       fmt::format("{} lacks {}", libraries.cuda, table.missing())};
  }
  driver.nvml = load_nvml(libraries.nvml);
  return driver;
}

}  // namespace gpulint::probe
