// The declarations of NVML by hand against its header, where it is installed; run_abi.sh compiles
// this and runs nothing.

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "device/driver_api.h"
#include "probe/same_call.h"

#include <cstddef>
#include <nvml.h>

using namespace gpulint::probe;

namespace {

GPULINT_SAME_CALL(NvmlApi::init, nvmlInit_v2);
GPULINT_SAME_CALL(NvmlApi::shutdown, nvmlShutdown);
GPULINT_SAME_CALL(NvmlApi::driver_version, nvmlSystemGetDriverVersion);
GPULINT_SAME_CALL(NvmlApi::device_by_pci_bus_id, nvmlDeviceGetHandleByPciBusId_v2);
GPULINT_SAME_CALL(NvmlApi::memory_info, nvmlDeviceGetMemoryInfo_v2);
GPULINT_SAME_CALL(NvmlApi::old_memory_info, nvmlDeviceGetMemoryInfo);
GPULINT_SAME_CALL(NvmlApi::process_count, nvmlDeviceGetComputeRunningProcesses_v3);
GPULINT_SAME_CALL(NvmlApi::pcie_width, nvmlDeviceGetCurrPcieLinkWidth);
GPULINT_SAME_CALL(NvmlApi::pcie_max_width, nvmlDeviceGetMaxPcieLinkWidth);
GPULINT_SAME_CALL(NvmlApi::pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration);
GPULINT_SAME_CALL(NvmlApi::pcie_max_generation, nvmlDeviceGetMaxPcieLinkGeneration);
GPULINT_SAME_CALL(NvmlApi::throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
GPULINT_SAME_CALL(NvmlApi::display_active, nvmlDeviceGetDisplayActive);
GPULINT_SAME_CALL(NvmlApi::display_mode, nvmlDeviceGetDisplayMode);
GPULINT_SAME_CALL(NvmlApi::clock, nvmlDeviceGetClockInfo);
GPULINT_SAME_CALL(NvmlApi::power, nvmlDeviceGetPowerUsage);
GPULINT_SAME_CALL(NvmlApi::power_limit, nvmlDeviceGetEnforcedPowerLimit);
GPULINT_SAME_CALL(NvmlApi::temperature, nvmlDeviceGetTemperature);
GPULINT_SAME_CALL(NvmlNodeApi::common_ancestor, nvmlDeviceGetTopologyCommonAncestor);
GPULINT_SAME_CALL(NvmlNodeApi::nvlink_state, nvmlDeviceGetNvLinkState);
GPULINT_SAME_CALL(NvmlNodeApi::nvlink_remote, nvmlDeviceGetNvLinkRemotePciInfo_v2);
GPULINT_SAME_CALL(NvmlNodeApi::nvlink_remote_type, nvmlDeviceGetNvLinkRemoteDeviceType);
GPULINT_SAME_CALL(NvmlNodeApi::ecc_mode, nvmlDeviceGetEccMode);
GPULINT_SAME_CALL(NvmlNodeApi::ecc_errors, nvmlDeviceGetTotalEccErrors);
GPULINT_SAME_CALL(NvmlNodeApi::remapped_rows, nvmlDeviceGetRemappedRows);
GPULINT_SAME_CALL(NvmlNodeApi::retired_pages, nvmlDeviceGetRetiredPages);
GPULINT_SAME_CALL(NvmlNodeApi::uuid, nvmlDeviceGetUUID);
GPULINT_SAME_CALL(NvmlNodeApi::event_set_create, nvmlEventSetCreate);
GPULINT_SAME_CALL(NvmlNodeApi::event_set_free, nvmlEventSetFree);
GPULINT_SAME_CALL(NvmlNodeApi::register_events, nvmlDeviceRegisterEvents);
GPULINT_SAME_CALL(NvmlNodeApi::event_wait, nvmlEventSetWait_v2);

static_assert(sizeof(NvmlMemory) == sizeof(nvmlMemory_v2_t));
GPULINT_SAME_MEMBER(NvmlMemory, reserved, nvmlMemory_v2_t, reserved);
GPULINT_SAME_MEMBER(NvmlMemory, free, nvmlMemory_v2_t, free);
static_assert(kNvmlMemoryVersion == nvmlMemory_v2);
static_assert(sizeof(NvmlPciInfo) == sizeof(nvmlPciInfo_t));
GPULINT_SAME_MEMBER(NvmlPciInfo, bus_id, nvmlPciInfo_t, busId);
static_assert(sizeof(NvmlEvent) == sizeof(nvmlEventData_t));
GPULINT_SAME_MEMBER(NvmlEvent, data, nvmlEventData_t, eventData);
static_assert(kNvmlSuccess == NVML_SUCCESS);
static_assert(kNvmlInsufficientSize == NVML_ERROR_INSUFFICIENT_SIZE);
static_assert(kTopologySingle == NVML_TOPOLOGY_SINGLE);
static_assert(kTopologyMultiple == NVML_TOPOLOGY_MULTIPLE);
static_assert(kTopologyHostBridge == NVML_TOPOLOGY_HOSTBRIDGE);
static_assert(kTopologyNode == NVML_TOPOLOGY_NODE);
static_assert(kTopologySystem == NVML_TOPOLOGY_SYSTEM);
static_assert(kEccUncorrected == NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
static_assert(kEccAggregate == NVML_AGGREGATE_ECC);
static_assert(kNvlinkToGpu == NVML_NVLINK_DEVICE_TYPE_GPU);
static_assert(kNvlinkToSwitch == NVML_NVLINK_DEVICE_TYPE_SWITCH);
static_assert(kMostNvlinks >= NVML_NVLINK_MAX_LINKS);
static_assert(kEventXid == nvmlEventTypeXidCriticalError);
static_assert(kRetiredByDoubleBit == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR);

}  // namespace
