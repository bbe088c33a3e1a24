// The part of the fake driver that starts kernels, copies and keeps time. Memory is the host's.

#include "device/driver_api.h"
#include "probe/fake_driver.h"
#include "probe/fake_kernels.h"
#include "probe/fake_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <set>
#include <string>

using namespace gpulint::probe;

namespace {

constexpr int kInvalidValue = 1;  // CUDA_ERROR_INVALID_VALUE
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr unsigned int kSharedWithoutAsking = 48 << 10;
constexpr double kCopiedPerSecond = 4.1e12;  // read and written
constexpr double kPinnedPerSecond = 50e9;
constexpr double kPageablePerSecond = 12.5e9;

std::set<const void*> pinned_blocks;
std::set<const void*> granted;  // kernels that may have more shared memory

/// What happens between host and device: nothing is looked at, so nothing but the end is moved.
int transfer(void* to, const void* from, std::size_t bytes, const void* host, void* stream) {
  const InStream in(stream);
  constexpr std::size_t kEnd = 4096;
  const std::size_t moved = bytes < kEnd ? bytes : kEnd;
  std::memcpy(static_cast<char*>(to) + bytes - moved,
              static_cast<const char*>(from) + bytes - moved, moved);
  const bool pinned = pinned_blocks.contains(host);
  fake_now += static_cast<double>(bytes) / (pinned ? kPinnedPerSecond : kPageablePerSecond);
  return 0;
}

}  // namespace

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

CudaResult cuModuleLoadData(CudaModule* module, const void* image) {
  const int code = enter_fake("cuModuleLoadData");
  if (code != 0) return code;
  std::uint32_t first = 0;
  std::memcpy(&first, image, sizeof first);
  if (first == kFatbinMagic) {
    ++fake_driver.fatbins;
    if (fake_driver.fatbin_code != 0) return fake_driver.fatbin_code;
  } else if (std::strstr(static_cast<const char*>(image), ".version ") == nullptr) {
    return 218;  // CUDA_ERROR_INVALID_PTX
  }
  *module = const_cast<void*>(image);
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuModuleUnload(CudaModule) {
  --fake_driver.live_objects;
  return enter_fake("cuModuleUnload");
}
CudaResult cuModuleGetFunction(CudaFunction* function, CudaModule module, const char* name) {
  const int code = enter_fake("cuModuleGetFunction");
  if (code != 0) return code;
  std::uint32_t first = 0;
  std::memcpy(&first, module, sizeof first);
  const std::string entry = std::string(".visible .entry ") + name + "(";
  if (first != kFatbinMagic &&
      std::strstr(static_cast<const char*>(module), entry.c_str()) == nullptr) {
    return 500;  // CUDA_ERROR_NOT_FOUND
  }
  *function = find_fake_kernel(name);
  return *function == nullptr ? 500 : 0;
}
CudaResult cuFuncSetAttribute(CudaFunction function, int attribute, int value) {
  const int code = enter_fake("cuFuncSetAttribute");
  if (code != 0) return code;
  if (attribute != kFunctionMaxDynamicShared || value <= 0) return kInvalidValue;
  granted.insert(function);
  return 0;
}
CudaResult cuLaunchKernel(CudaFunction function, unsigned int grid_x, unsigned int grid_y,
                          unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                          unsigned int block_z, unsigned int shared_bytes, CudaStream stream,
                          void** arguments, void** extra) {
  const int code = enter_fake("cuLaunchKernel");
  if (code != 0) return code;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x == 0 || block_y != 1 || block_z != 1 ||
      stream == nullptr || extra != nullptr ||
      (shared_bytes > kSharedWithoutAsking && !granted.contains(function))) {
    return kInvalidValue;
  }
  ++fake_driver.launches;
  const InStream in(stream);
  return run_fake_kernel(function, {grid_x, grid_y, grid_z, block_x, shared_bytes}, arguments);
}
CudaResult cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  const int code = enter_fake("cuMemAllocHost_v2");
  if (code != 0) return code;
  *memory = std::calloc(bytes, 1);
  fake_driver.pinned_memory = *memory;
  pinned_blocks.insert(*memory);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    fake_driver.pinned_cpus = CPU_COUNT(&allowed);
  }
  fake_driver.most_pinned = bytes > fake_driver.most_pinned ? bytes : fake_driver.most_pinned;
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuMemFreeHost(void* memory) {
  pinned_blocks.erase(memory);
  std::free(memory);
  fake_driver.pinned_memory = nullptr;
  --fake_driver.live_objects;
  return enter_fake("cuMemFreeHost");
}
CudaResult cuMemcpyHtoDAsync_v2(CudaAddress to, const void* from, std::size_t bytes,
                                CudaStream stream) {
  const int code = enter_fake("cuMemcpyHtoDAsync_v2");
  if (code != 0) return code;
  if (!is_live(to, bytes)) return kInvalidValue;
  return transfer(reinterpret_cast<void*>(to), from, bytes, from, stream);
}
CudaResult cuMemcpyDtoHAsync_v2(void* to, CudaAddress from, std::size_t bytes, CudaStream stream) {
  const int code = enter_fake("cuMemcpyDtoHAsync_v2");
  if (code != 0) return code;
  if (!is_live(from, bytes)) return kInvalidValue;
  return transfer(to, reinterpret_cast<const void*>(from), bytes, to, stream);
}
CudaResult cuMemcpyDtoDAsync_v2(CudaAddress to, CudaAddress from, std::size_t bytes,
                                CudaStream stream) {
  const int code = enter_fake("cuMemcpyDtoDAsync_v2");
  if (code != 0) return code;
  if (!is_live(from, bytes) || !is_live(to, bytes)) return kInvalidValue;
  const InStream in(stream);
  fake_now += 2 * static_cast<double>(bytes) / kCopiedPerSecond;
  return 0;
}
CudaResult cuMemcpyDtoH_v2(void* to, CudaAddress from, std::size_t bytes) {
  const int code = enter_fake("cuMemcpyDtoH_v2");
  if (code != 0) return code;
  if (!is_live(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
CudaResult cuStreamCreate(CudaStream* stream, unsigned int) {
  const int code = enter_fake("cuStreamCreate");
  if (code != 0) return code;
  *stream = new FakeStream{.device = current_fake_device(), .now = 0};
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuStreamDestroy_v2(CudaStream stream) {
  delete static_cast<FakeStream*>(stream);
  --fake_driver.live_objects;
  return enter_fake("cuStreamDestroy_v2");
}
CudaResult cuEventCreate(CudaEvent* event, unsigned int) {
  const int code = enter_fake("cuEventCreate");
  if (code != 0) return code;
  *event = new double(0);
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuEventDestroy_v2(CudaEvent event) {
  delete static_cast<double*>(event);
  --fake_driver.live_objects;
  return enter_fake("cuEventDestroy_v2");
}
CudaResult cuEventRecord(CudaEvent event, CudaStream stream) {
  *static_cast<double*>(event) = static_cast<FakeStream*>(stream)->now;
  return enter_fake("cuEventRecord");
}
CudaResult cuEventSynchronize(CudaEvent) {
  fake_busy = false;
  return enter_fake("cuEventSynchronize");
}
CudaResult cuStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned int) {
  double& now = static_cast<FakeStream*>(stream)->now;
  now = std::max(now, *static_cast<double*>(event));
  return enter_fake("cuStreamWaitEvent");
}
CudaResult cuEventElapsedTime(float* milliseconds, CudaEvent start, CudaEvent end) {
  double factor = 1;
  if (fake_driver.clock_scatter > 0) {  // every second sample takes longer
    static int samples = 0;
    factor += samples++ % 2 == 0 ? 0 : fake_driver.clock_scatter;
  }
  const double seconds = *static_cast<double*>(end) - *static_cast<double*>(start);
  *milliseconds = static_cast<float>(seconds * 1000 * factor);
  return enter_fake("cuEventElapsedTime");
}
NvmlResult nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* bits) {
  *bits = fake_driver.throttle_bits | (fake_busy ? fake_driver.throttle_bits_under_load : 0);
  return enter_fake("nvmlDeviceGetCurrentClocksThrottleReasons");
}
}
