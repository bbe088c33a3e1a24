#include "device/driver_session.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace gpulint::probe {
namespace {

/// PCI Express has at most 32 lanes, and no generation beyond this is near.
constexpr unsigned int kMostLanes = 32;
constexpr unsigned int kMostGeneration = 16;

/// Errors that leave the context unusable, as cuda.h says of each (CUDA 13.0).
bool breaks_context(CudaResult code) {
  constexpr std::array<CudaResult, 9> kBreaking{
      700, 702, 710, 714, 715, 716, 717, 718, 719,  // illegal address to launch failed
  };
  return std::find(kBreaking.begin(), kBreaking.end(), code) != kBreaking.end();
}

}  // namespace

bool Calls::ok(CudaResult code, std::string_view call) {
  if (code == kCudaSuccess) return true;
  if (broken_by_.empty() && breaks_context(code)) broken_by_ = running_.empty() ? call : running_;
  const char* name = nullptr;
  if (cuda_.error_name != nullptr && cuda_.error_name(code, &name) != kCudaSuccess) {
    name = nullptr;
  }
  failure_ = explain_failure(code, call, name == nullptr ? "" : name, machine_);
  return false;
}

void Calls::fail(Reason reason, std::string detail) { failure_ = {reason, std::move(detail)}; }

NvmlSession::NvmlSession(const std::optional<NvmlApi>& api) {
  if (api && api->init() == kNvmlSuccess) api_ = &*api;
}

NvmlSession::~NvmlSession() {
  if (api_ != nullptr) api_->shutdown();
}

std::string NvmlSession::driver_version() const {
  std::array<char, 96> text{};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (api_ == nullptr ||
      api_->driver_version(text.data(), static_cast<unsigned>(text.size())) != kNvmlSuccess) {
    return "";
  }
  text.back() = '\0';
  return text.data();
}

void NvmlSession::choose(const std::string& pci_bus_id) {
  if (api_ != nullptr && api_->device_by_pci_bus_id(pci_bus_id.c_str(), &device_) != kNvmlSuccess) {
    device_ = nullptr;
  }
}

std::optional<MemoryReading> NvmlSession::memory() const {
  if (device_ == nullptr) return std::nullopt;
  NvmlMemory memory;
  memory.version = kNvmlMemoryVersion;
  if (api_->memory_info != nullptr && api_->memory_info(device_, &memory) == kNvmlSuccess) {
    return MemoryReading{memory.total, memory.free, memory.reserved};
  }
  // Drivers before release 510 do not say what they reserve.
  NvmlOldMemory old;
  if (api_->old_memory_info == nullptr || api_->old_memory_info(device_, &old) != kNvmlSuccess) {
    return std::nullopt;
  }
  return MemoryReading{old.total, old.free, std::nullopt};
}

CardState NvmlSession::state() const {
  constexpr unsigned int kSmClock = 1;         // NVML_CLOCK_SM
  constexpr unsigned int kGpuTemperature = 0;  // NVML_TEMPERATURE_GPU
  constexpr double kHertzPerMegahertz = 1e6;
  constexpr double kWattsPerMilliwatt = 1e-3;
  CardState state;
  if (device_ == nullptr) return state;
  unsigned int value = 0;
  if (api_->clock != nullptr && api_->clock(device_, kSmClock, &value) == kNvmlSuccess) {
    state.sm_clock = value * kHertzPerMegahertz;
  }
  if (api_->power != nullptr && api_->power(device_, &value) == kNvmlSuccess) {
    state.power = value * kWattsPerMilliwatt;
  }
  if (api_->power_limit != nullptr && api_->power_limit(device_, &value) == kNvmlSuccess) {
    state.power_limit = value * kWattsPerMilliwatt;
  }
  if (api_->temperature != nullptr &&
      api_->temperature(device_, kGpuTemperature, &value) == kNvmlSuccess) {
    state.temperature = value;
  }
  return state;
}

std::optional<int> NvmlSession::process_count() const {
  if (device_ == nullptr || api_->process_count == nullptr) return std::nullopt;
  unsigned int count = 0;
  const NvmlResult code = api_->process_count(device_, &count, nullptr);
  if (code != kNvmlSuccess && code != kNvmlInsufficientSize) return std::nullopt;
  return static_cast<int>(std::min(count, 1'000'000U));
}

std::optional<PcieLink> NvmlSession::pcie_link() const {
  const auto ask = [this](auto function, unsigned int most, int& value) {
    unsigned int answer = 0;
    if (function == nullptr || function(device_, &answer) != kNvmlSuccess) return false;
    value = static_cast<int>(answer);
    return answer >= 1 && answer <= most;
  };
  PcieLink link;
  if (device_ == nullptr || !ask(api_->pcie_width, kMostLanes, link.width) ||
      !ask(api_->pcie_max_width, kMostLanes, link.max_width) ||
      !ask(api_->pcie_generation, kMostGeneration, link.generation) ||
      !ask(api_->pcie_max_generation, kMostGeneration, link.max_generation)) {
    return std::nullopt;
  }
  return link;
}

bool NvmlSession::has_display() const {
  const auto ask = [this](auto function) {
    int answer = 0;
    return device_ != nullptr && function != nullptr &&
           function(device_, &answer) == kNvmlSuccess && answer != 0;
  };
  return api_ != nullptr && (ask(api_->display_active) || ask(api_->display_mode));
}

std::string NvmlSession::disturbance() const {
  // nvmlClocksThrottleReasons of nvml.h. The power cap (0x4) is the normal state of many cards.
  constexpr unsigned long long kHardwareSlowdown = 0x8;
  constexpr unsigned long long kThermal = 0x20 | 0x40;
  constexpr unsigned long long kPowerBrake = 0x80;
  unsigned long long bits = 0;
  if (device_ == nullptr || api_->throttle_reasons == nullptr ||
      api_->throttle_reasons(device_, &bits) != kNvmlSuccess) {
    return "";
  }
  if ((bits & kThermal) != 0) return "the card is slowed down by heat";
  if ((bits & kPowerBrake) != 0) return "the card is slowed down by its power supply";
  if ((bits & kHardwareSlowdown) != 0) return "the card slows itself down";
  return "";
}

PrimaryContext::PrimaryContext(const CudaApi& cuda, CudaDevice device, Calls& calls)
    : cuda_(cuda), device_(device) {
  retained_ =
      calls.ok(cuda_.primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  current_ = retained_ && calls.ok(cuda_.set_current_context(context_), "cuCtxSetCurrent");
}

PrimaryContext::~PrimaryContext() {
  if (current_) cuda_.set_current_context(nullptr);
  if (retained_) cuda_.primary_context_release(device_);
}

Bytes bytes_of(unsigned long long count) {
  constexpr auto kMost = static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
  return Bytes::of(static_cast<std::int64_t>(std::min(count, kMost)));
}

}  // namespace gpulint::probe
