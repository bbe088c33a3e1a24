#pragma once

#include "base/units.h"
#include "device/device_report.h"
#include "device/driver_api.h"
#include "device/reason.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// Calls of the driver; after the first failure the rest of a chain is skipped and `failure` set.
class Calls {
 public:
  Calls(const CudaApi& cuda, const MachineFacts& machine) : cuda_(cuda), machine_(machine) {}
  bool ok(CudaResult code, std::string_view call);
  void fail(Reason reason, std::string detail);
  const Unavailable& failure() const { return failure_; }
  void name(CudaFunction function, std::string_view name) { names_[function] = name; }
  /// What is run next on the device: a kernel that was named, or a library's work.
  void begin(CudaFunction function) { running_ = names_[function]; }
  void begin(std::string_view what) { running_ = what; }
  /// What was run when the context broke, after which every call fails; "" while it is sound.
  const std::string& broken_by() const { return broken_by_; }

 private:
  const CudaApi& cuda_;
  const MachineFacts& machine_;
  Unavailable failure_{Reason::init_failed, {}};
  std::map<CudaFunction, std::string> names_;
  std::string running_;
  std::string broken_by_;
};

/// Bytes, as NVML counts them.
struct MemoryReading {
  unsigned long long total = 0;
  unsigned long long free = 0;
  std::optional<unsigned long long> reserved;  // unset: the driver is too old to say
};

/// NVML, initialised for as long as this lives. What it does not answer is unknown.
class NvmlSession {
 public:
  explicit NvmlSession(const std::optional<NvmlApi>& api);
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  ~NvmlSession();

  std::string driver_version() const;  // "" when unknown
  /// Indices of NVML and CUDA differ under CUDA_VISIBLE_DEVICES; the PCI address does not.
  void choose(const std::string& pci_bus_id);
  std::optional<MemoryReading> memory() const;
  std::optional<int> process_count() const;
  std::optional<PcieLink> pcie_link() const;
  /// Clock, power and temperature at this moment; what is not known stays unset.
  CardState state() const;
  /// Whether it drives a screen, or has one plugged in.
  bool has_display() const;
  /// Why the card is slower than it should be now: heat, the power supply; "" = nothing known.
  std::string disturbance() const;
  /// What it says of several cards together; nullptr where nothing is known of this one.
  const NvmlNodeApi* node() const { return device_ == nullptr ? nullptr : &api_->node; }
  NvmlDevice device() const { return device_; }

 private:
  const NvmlApi* api_ = nullptr;
  NvmlDevice device_ = nullptr;
};

/// A retained primary context, current in this thread, released when this ends.
class PrimaryContext {
 public:
  PrimaryContext(const CudaApi& cuda, CudaDevice device, Calls& calls);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();
  bool ready() const { return current_; }
  CudaContext handle() const { return context_; }
  /// In this thread, where another one was meanwhile.
  bool make_current() const {
    return current_ && cuda_.set_current_context(context_) == kCudaSuccess;
  }

 private:
  const CudaApi& cuda_;
  CudaDevice device_;
  CudaContext context_ = nullptr;
  bool retained_ = false;
  bool current_ = false;
};

/// A size as the driver counts it; what no int64 holds becomes its maximum.
Bytes bytes_of(unsigned long long count);

}  // namespace gpulint::probe
