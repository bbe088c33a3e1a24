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

}  // namespace

bool Calls::ok(CudaResult code, std::string_view call) {
  if (code == kCudaSuccess) return true;
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

std::optional<NvmlMemory> NvmlSession::memory() const {
  NvmlMemory memory;
  memory.version = kNvmlMemoryVersion;
  if (device_ == nullptr || api_->memory_info(device_, &memory) != kNvmlSuccess) {
    return std::nullopt;
  }
  return memory;
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
  CudaContext context = nullptr;
  retained_ = calls.ok(cuda_.primary_context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  current_ = retained_ && calls.ok(cuda_.set_current_context(context), "cuCtxSetCurrent");
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
