#include "probe/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace gpulint::probe {
namespace {

/// Free memory is read this often with this pause, so that another process that grows is seen.
constexpr int kFreeReadings = 3;
constexpr std::chrono::milliseconds kReadingPause{5};

/// Calls of the driver; after the first failure the rest of a chain is skipped and `failure` set.
class Calls {
 public:
  Calls(const CudaApi& cuda, const MachineFacts& machine) : cuda_(cuda), machine_(machine) {}

  bool ok(CudaResult code, std::string_view call) {
    if (code == kCudaSuccess) return true;
    const char* name = nullptr;
    if (cuda_.error_name != nullptr && cuda_.error_name(code, &name) != kCudaSuccess) {
      name = nullptr;
    }
    failure_ = explain_failure(code, call, name == nullptr ? "" : name, machine_);
    return false;
  }
  void fail(Reason reason, std::string detail) { failure_ = {reason, std::move(detail)}; }
  Unavailable failure() const { return failure_; }

 private:
  const CudaApi& cuda_;
  const MachineFacts& machine_;
  Unavailable failure_{Reason::init_failed, {}};
};

/// NVML, initialised for as long as this lives.
class NvmlSession {
 public:
  explicit NvmlSession(const std::optional<NvmlApi>& api) {
    if (api && api->init() == kNvmlSuccess) api_ = &*api;
  }
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  ~NvmlSession() {
    if (api_ != nullptr) api_->shutdown();
  }

  std::string driver_version() const {
    std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
    if (api_ == nullptr ||
        api_->driver_version(text.data(), static_cast<unsigned>(text.size())) != kNvmlSuccess) {
      return "";
    }
    text.back() = '\0';
    return text.data();
  }
  /// Indices of NVML and CUDA differ under CUDA_VISIBLE_DEVICES; the PCI address does not.
  void choose(const std::string& pci_bus_id) {
    if (api_ != nullptr &&
        api_->device_by_pci_bus_id(pci_bus_id.c_str(), &device_) != kNvmlSuccess) {
      device_ = nullptr;
    }
  }
  std::optional<NvmlMemory> memory() const {
    NvmlMemory memory;
    memory.version = kNvmlMemoryVersion;
    if (device_ == nullptr || api_->memory_info(device_, &memory) != kNvmlSuccess) {
      return std::nullopt;
    }
    return memory;
  }
  std::optional<int> process_count() const {
    if (device_ == nullptr || api_->process_count == nullptr) return std::nullopt;
    unsigned int count = 0;
    const NvmlResult code = api_->process_count(device_, &count, nullptr);
    if (code != kNvmlSuccess && code != kNvmlInsufficientSize) return std::nullopt;
    return static_cast<int>(std::min(count, 1'000'000U));
  }

 private:
  const NvmlApi* api_ = nullptr;
  NvmlDevice device_ = nullptr;
};

/// A retained primary context, released when this ends.
class PrimaryContext {
 public:
  PrimaryContext(const CudaApi& cuda, CudaDevice device, Calls& calls)
      : cuda_(cuda), device_(device) {
    CudaContext context = nullptr;
    retained_ =
        calls.ok(cuda_.primary_context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
    current_ = retained_ && calls.ok(cuda_.set_current_context(context), "cuCtxSetCurrent");
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext() {
    if (current_) cuda_.set_current_context(nullptr);
    if (retained_) cuda_.primary_context_release(device_);
  }
  bool ready() const { return current_; }

 private:
  const CudaApi& cuda_;
  CudaDevice device_;
  bool retained_ = false;
  bool current_ = false;
};

Bytes bytes_of(unsigned long long count) {
  constexpr auto kMost = static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
  return Bytes::of(static_cast<std::int64_t>(std::min(count, kMost)));
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

struct FreeReadings {
  Bytes first;
  Bytes last;
  Bytes spread;
};

std::optional<FreeReadings> read_free(const NvmlSession& nvml) {
  std::optional<FreeReadings> readings;
  Bytes low;
  Bytes high;
  for (int i = 0; i < kFreeReadings; ++i) {
    if (i > 0) std::this_thread::sleep_for(kReadingPause);
    const std::optional<NvmlMemory> memory = nvml.memory();
    if (!memory) return std::nullopt;
    const Bytes free = bytes_of(memory->free);
    if (!readings) {
      readings = FreeReadings{free, free, {}};
      low = high = free;
    }
    readings->last = free;
    low = std::min(low, free);
    high = std::max(high, free);
  }
  readings->spread = high - low;
  return readings;
}

bool measure_context(const CudaApi& cuda, Calls& calls, CudaDevice device, const NvmlSession& nvml,
                     DeviceReport& report) {
  const std::optional<FreeReadings> before = report.mig ? std::nullopt : read_free(nvml);
  const PrimaryContext context(cuda, device, calls);
  if (!context.ready()) return false;
  std::size_t free = 0;
  std::size_t total = 0;
  if (!calls.ok(cuda.memory_info(&free, &total), "cuMemGetInfo_v2")) return false;
  report.cuda_free = bytes_of(free);
  const std::optional<FreeReadings> after = report.mig ? std::nullopt : read_free(nvml);
  if (!before || !after) return true;
  report.free_before_context = before->last;
  report.free_after_context = after->first;
  report.context = before->last - after->first;
  report.drift = before->spread + after->spread;
  return true;
}

bool choose_device(const CudaApi& cuda, Calls& calls, CudaDevice& device, DeviceReport& report) {
  if (!calls.ok(cuda.init(0), "cuInit") ||
      !calls.ok(cuda.driver_version(&report.cuda_version), "cuDriverGetVersion") ||
      !calls.ok(cuda.device_count(&report.visible_devices), "cuDeviceGetCount")) {
    return false;
  }
  if (report.visible_devices <= 0) {
    calls.fail(Reason::no_device, "the driver shows no device");
    return false;
  }
  return calls.ok(cuda.device_at(&device, 0), "cuDeviceGet");
}

}  // namespace

Outcome measure(const Driver& driver, const MachineFacts& machine) {
  const CudaApi& cuda = driver.cuda;
  Calls calls(cuda, machine);
  DeviceReport report;
  report.driver_library = driver.cuda_path;
  CudaDevice device = 0;
  if (!choose_device(cuda, calls, device, report) || !read_identity(cuda, calls, device, report)) {
    return calls.failure();
  }
  NvmlSession nvml(driver.nvml);
  nvml.choose(report.pci_bus_id);
  report.driver_version = nvml.driver_version();
  report.other_processes = nvml.process_count();  // before our own context is one of them
  if (const auto memory = report.mig ? std::nullopt : nvml.memory()) {
    report.nvml_total = bytes_of(memory->total);
    report.nvml_reserved = bytes_of(memory->reserved);
  }
  if (!measure_context(cuda, calls, device, nvml, report)) return calls.failure();
  return report;
}

}  // namespace gpulint::probe
