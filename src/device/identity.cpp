#include "device/identity.h"

#include "base/platform.h"
#include "device/card_health.h"

#include <array>

namespace gpulint::probe {
namespace {

/// What a device that is too old to know the attribute does not have.
bool has(const CudaApi& cuda, CudaDevice device, int attribute) {
  int value = 0;
  return cuda.device_attribute(&value, attribute, device) == kCudaSuccess && value != 0;
}

void read_memory_traits(const CudaApi& cuda, CudaDevice device, const NvmlSession& nvml,
                        DeviceReport& report) {
  report.integrated =
      has(cuda, device, kAttributeIntegrated) || has(cuda, device, kAttributeHostPageTables);
  report.display = has(cuda, device, kAttributeKernelTimeout) || nvml.has_display();
  report.virtual_memory =
      cuda.virtual_memory.complete() && has(cuda, device, kAttributeVirtualMemory);
}

bool read_identity(const CudaApi& cuda, Calls& calls, CudaDevice device, DeviceReport& report) {
  std::array<char, 256> name{};
  std::array<char, 64> bus{};
  int major = 0;
  int minor = 0;
  int l2 = 0;
  int mode = 0;
  std::size_t total = 0;
  const auto attribute = [&](int* value, int which) {
    return calls.ok(cuda.device_attribute(value, which, device), "cuDeviceGetAttribute");
  };
  if (!calls.ok(cuda.device_name(name.data(), static_cast<int>(name.size()) - 1, device),
                "cuDeviceGetName") ||
      !calls.ok(cuda.device_pci_bus_id(bus.data(), static_cast<int>(bus.size()) - 1, device),
                "cuDeviceGetPCIBusId") ||
      !calls.ok(cuda.device_total_memory(&total, device), "cuDeviceTotalMem_v2") ||
      !attribute(&major, kAttributeComputeCapabilityMajor) ||
      !attribute(&minor, kAttributeComputeCapabilityMinor) ||
      !attribute(&report.sm_count, kAttributeMultiprocessorCount) ||
      !attribute(&l2, kAttributeL2CacheSize) || !attribute(&mode, kAttributeComputeMode)) {
    return false;
  }
  if (mode == kComputeModeProhibited) {
    calls.fail(Reason::compute_mode_prohibited, "the GPU's compute mode is \"prohibited\"");
    return false;
  }
  report.name = name.data();
  report.pci_bus_id = bus.data();
  report.compute_capability = 10 * major + minor;
  report.l2_cache = Bytes::of(l2);
  report.cuda_total = bytes_of(total);
  report.mig = report.name.find(" MIG ") != std::string::npos;
  return true;
}

}  // namespace

bool start_driver(const CudaApi& cuda, Calls& calls, DeviceReport& report) {
  if (!calls.ok(cuda.init(0), "cuInit")) return false;
  // Not before: to make its device files the driver starts nvidia-modprobe, which is set-user-id.
  give_up_new_privileges();
  if (!calls.ok(cuda.driver_version(&report.cuda_version), "cuDriverGetVersion") ||
      !calls.ok(cuda.device_count(&report.visible_devices), "cuDeviceGetCount")) {
    return false;
  }
  if (report.visible_devices <= 0) {
    calls.fail(Reason::no_device, "the driver shows no device");
    return false;
  }
  return true;
}

bool identify(const CudaApi& cuda, Calls& calls, CudaDevice device, NvmlSession& nvml,
              DeviceReport& report) {
  if (!read_identity(cuda, calls, device, report)) return false;
  nvml.choose(report.pci_bus_id);
  report.driver_version = nvml.driver_version();
  if (!report.mig) report.card = card_hash(nvml);
  // Before our own context is one of them; on a MIG slice the whole card would answer.
  report.other_processes = report.mig ? std::nullopt : nvml.process_count();
  if (const auto memory = report.mig ? std::nullopt : nvml.memory()) {
    report.nvml_total = bytes_of(memory->total);
    if (memory->reserved) report.nvml_reserved = bytes_of(*memory->reserved);
  }
  read_memory_traits(cuda, device, nvml, report);
  return true;
}

}  // namespace gpulint::probe
