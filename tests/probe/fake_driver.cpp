// libcuda and libnvidia-ml in one: answers every call `confirm` makes, the same each time, and
// counts what it allocated.

#include "probe/fake_driver.h"

#include "device/driver_api.h"
#include "probe/fake_memory.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

using namespace gpulint::probe;

FakeDriver fake_driver;
std::array<int, kMostFakeDevices> contexts_of{};

/// A program cannot set `fake_driver` as a unit test does; it names the call like this.
static bool hangs_in(const char* call) {
  const char* named = std::getenv("FAKE_HANGING_CALL");
  return std::strcmp(call, named != nullptr ? named : fake_driver.hanging_call) == 0;
}

/// FAKE_SLOW_CALL=name:microseconds,… of every such call.
static void take_time(const char* call) {
  const char* named = std::getenv("FAKE_SLOW_CALL");
  if (named == nullptr) return;
  const std::string wanted = std::string(call) + ":";
  const char* at = std::strstr(named, wanted.c_str());
  if (at == nullptr || (at != named && at[-1] != ',')) return;
  const long microseconds = std::atol(at + wanted.size());
  const timespec pause{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  nanosleep(&pause, nullptr);
}

int enter_fake(const char* call) {
  ++fake_driver.calls;
  take_time(call);
  if (hangs_in(call)) {
    while (true) pause();
  }
  if (std::strcmp(call, fake_driver.crashing_call) == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would report the crash as its own
    std::raise(SIGSEGV);
  }
  constexpr int kIllegalAddress = 700;
  if (fake_driver.broken && std::string_view(call).starts_with("cu")) return kIllegalAddress;
  return std::strcmp(call, fake_driver.failing_call) == 0 ? fake_driver.failing_code : 0;
}

extern "C" {

// Not declared in a header of ours: the loader finds them by name.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

/// A program cannot set `fake_driver` as a unit test does; it names a narrower link like this.
static unsigned int lanes() {
  const char* set = std::getenv("FAKE_PCIE_LANES");
  return set == nullptr ? fake_driver.pcie_lanes : static_cast<unsigned int>(std::atoi(set));
}
static int enter(const char* call) { return enter_fake(call); }
static unsigned long long bytes(long long mib) {
  return static_cast<unsigned long long>(mib) << 20;
}
static constexpr const char* kUuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";
/// As the driver reads it: none, or one by its UUID; numbers are not looked at.
static bool hides_device() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return false;
  const std::string_view named = visible;
  return named.empty() || (named.starts_with("GPU-") && named != kUuid);
}
CudaResult cuInit(unsigned int) {
  read_fake_node();
  constexpr int kNoDevice = 100;
  if (hides_device()) return kNoDevice;
  const bool refused = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0;
  constexpr int kUnknown = 999;  // as a driver without device files says
  return fake_driver.needs_helper && refused ? kUnknown : enter("cuInit");
}
CudaResult cuDriverGetVersion(int* version) {
  *version = 13000;
  return enter("cuDriverGetVersion");
}
CudaResult cuDeviceGetCount(int* count) {
  *count = fake_driver.devices;
  return enter("cuDeviceGetCount");
}
CudaResult cuDeviceGet(CudaDevice* device, int ordinal) {
  *device = ordinal;
  fake_driver.chosen_device = ordinal;
  return enter("cuDeviceGet");
}
CudaResult cuDeviceGetName(char* name, int size, CudaDevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "%s", fake_driver.name);
  return enter("cuDeviceGetName");
}
CudaResult cuDeviceGetAttribute(int* value, int attribute, CudaDevice) {
  switch (attribute) {
    case kAttributeMultiprocessorCount:
      *value = 132;
      break;
    case kAttributeComputeMode:
      *value = fake_driver.compute_mode;
      break;
    case kAttributeL2CacheSize:
      *value = 60 << 20;
      break;
    case kAttributeComputeCapabilityMajor:
      *value = fake_driver.compute_capability_major;
      break;
    case kAttributeComputeCapabilityMinor:
      *value = 0;
      break;
    case kAttributeKernelTimeout:
      *value = fake_driver.kernel_timeout;
      break;
    case kAttributeIntegrated:
      *value = fake_driver.integrated;
      break;
    case kAttributeHostPageTables:
      *value = fake_driver.host_page_tables;
      break;
    case kAttributeVirtualMemory:
      *value = fake_driver.virtual_memory;
      break;
    default:
      return 1;  // CUDA_ERROR_INVALID_VALUE
  }
  return enter("cuDeviceGetAttribute");
}
CudaResult cuDeviceTotalMem_v2(std::size_t* total, CudaDevice) {
  *total = bytes(fake_driver.cuda_total_mib);
  return enter("cuDeviceTotalMem_v2");
}
CudaResult cuDeviceGetPCIBusId(char* id, int size, CudaDevice device) {
  std::snprintf(id, static_cast<std::size_t>(size), "%s", fake_bus_id(device));
  return enter("cuDeviceGetPCIBusId");
}
/// Each its own, and the first the one CUDA_VISIBLE_DEVICES names in tests.
NvmlResult nvmlDeviceGetUUID(NvmlDevice device, char* text, unsigned int size) {
  std::snprintf(text, size, "%s%d", kUuid, device_of_fake_context(device));
  text[std::strlen(kUuid)] = '\0';
  text[4] = static_cast<char>('0' + device_of_fake_context(device) % 10);
  return enter("nvmlDeviceGetUUID");
}
CudaResult cuDeviceGetUuid_v2(unsigned char* uuid, CudaDevice) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0x11 * i);
  return enter("cuDeviceGetUuid_v2");
}
CudaResult cuDevicePrimaryCtxRetain(CudaContext* context, CudaDevice device) {
  const int code = enter("cuDevicePrimaryCtxRetain");
  if (code != 0) return code;
  *context = fake_context(device);
  ++contexts_of[static_cast<std::size_t>(device)];
  ++fake_driver.live_contexts;
  tell_others();
  return 0;
}
CudaResult cuDevicePrimaryCtxRelease_v2(CudaDevice device) {
  --fake_driver.live_contexts;
  --contexts_of[static_cast<std::size_t>(device)];
  tell_others();
  return enter("cuDevicePrimaryCtxRelease_v2");
}
CudaResult cuCtxSetCurrent(CudaContext context) {
  const int code = enter("cuCtxSetCurrent");
  if (code != 0) return code;
  fake_driver.current_contexts = context == nullptr ? 0 : 1;
  set_current_fake_device(context);
  return code;
}
CudaResult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = bytes(fake_driver.cuda_total_mib);
  *free = free_bytes(current_fake_device());
  return enter("cuMemGetInfo_v2");
}
CudaResult cuGetErrorName(CudaResult, const char** name) {
  *name = "FAKE_ERROR";
  return 0;
}

NvmlResult nvmlInit_v2() {
  const int code = enter("nvmlInit_v2");
  if (code == 0) ++fake_driver.nvml_sessions;
  return code;
}
NvmlResult nvmlShutdown() {
  --fake_driver.nvml_sessions;
  return enter("nvmlShutdown");
}
NvmlResult nvmlSystemGetDriverVersion(char* version, unsigned int size) {
  std::snprintf(version, size, "580.00-fake");
  return enter("nvmlSystemGetDriverVersion");
}
NvmlResult nvmlDeviceGetHandleByPciBusId_v2(const char* id, NvmlDevice* device) {
  read_fake_node();  // NVML may be asked alone
  fake_driver.nvml_saw_second = std::strcmp(id, fake_driver.second_bus_id) == 0;
  for (int i = 0; i < kMostFakeDevices; ++i) {
    if (std::strcmp(id, fake_bus_id(i)) != 0) continue;
    *device = fake_context(i);
    return enter("nvmlDeviceGetHandleByPciBusId_v2");
  }
  return 6;  // NVML_ERROR_NOT_FOUND
}
NvmlResult nvmlDeviceGetMemoryInfo_v2(NvmlDevice device, NvmlMemory* memory) {
  if (memory->version != kNvmlMemoryVersion) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  ++fake_driver.readings;
  memory->total = bytes(fake_driver.nvml_total_mib);
  memory->reserved = bytes(fake_driver.nvml_total_mib - fake_driver.cuda_total_mib);
  memory->free = free_bytes(device_of_fake_context(device));
  memory->used = memory->total - memory->reserved - memory->free;
  return enter("nvmlDeviceGetMemoryInfo_v2");
}
/// Of drivers before release 510.
NvmlResult nvmlDeviceGetMemoryInfo(NvmlDevice device, NvmlOldMemory* memory) {
  ++fake_driver.readings;
  memory->total = bytes(fake_driver.nvml_total_mib);
  memory->free = free_bytes(device_of_fake_context(device));
  memory->used = memory->total - memory->free;
  return enter("nvmlDeviceGetMemoryInfo");
}
NvmlResult nvmlDeviceGetClockInfo(NvmlDevice, unsigned int type, unsigned int* megahertz) {
  *megahertz = type == 1 ? fake_driver.clock_mhz : 0;
  return enter("nvmlDeviceGetClockInfo");
}
NvmlResult nvmlDeviceGetPowerUsage(NvmlDevice, unsigned int* milliwatts) {
  *milliwatts = fake_driver.milliwatts;
  return enter("nvmlDeviceGetPowerUsage");
}
NvmlResult nvmlDeviceGetEnforcedPowerLimit(NvmlDevice, unsigned int* milliwatts) {
  *milliwatts = 700'000;
  return enter("nvmlDeviceGetEnforcedPowerLimit");
}
NvmlResult nvmlDeviceGetTemperature(NvmlDevice, unsigned int sensor, unsigned int* celsius) {
  *celsius = sensor == 0 ? 61 : 0;
  return enter("nvmlDeviceGetTemperature");
}
NvmlResult nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice, unsigned int* count, void*) {
  *count = other_processes();
  const int code = enter("nvmlDeviceGetComputeRunningProcesses_v3");
  if (code != 0) return code;
  return other_processes() == 0 ? kNvmlSuccess : kNvmlInsufficientSize;
}
NvmlResult nvmlDeviceGetCurrPcieLinkWidth(NvmlDevice, unsigned int* width) {
  *width = lanes();
  return enter("nvmlDeviceGetCurrPcieLinkWidth");
}
NvmlResult nvmlDeviceGetMaxPcieLinkWidth(NvmlDevice, unsigned int* width) {
  *width = 16;
  return enter("nvmlDeviceGetMaxPcieLinkWidth");
}
NvmlResult nvmlDeviceGetCurrPcieLinkGeneration(NvmlDevice, unsigned int* generation) {
  *generation = 5;
  return enter("nvmlDeviceGetCurrPcieLinkGeneration");
}
NvmlResult nvmlDeviceGetMaxPcieLinkGeneration(NvmlDevice, unsigned int* generation) {
  *generation = 5;
  return enter("nvmlDeviceGetMaxPcieLinkGeneration");
}
}
