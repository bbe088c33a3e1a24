#pragma once

#include "device/assignment.h"
#include "device/driver.h"
#include "device/driver_session.h"
#include "device/timing_session.h"

#include <memory>
#include <optional>
#include <string>

namespace gpulint::probe {

/// One of several cards that are measured together: its context, a bench on it, and two buffers
/// that others copy from and into. All is given back when this ends.
class OpenCard {
 public:
  OpenCard(const Driver& driver, const MachineFacts& machine, CudaDevice device);
  OpenCard(const OpenCard&) = delete;
  OpenCard& operator=(const OpenCard&) = delete;
  ~OpenCard();

  /// Identity and memory; false: the card cannot be used, as `failure` says.
  bool open(const Assignment& assignment);
  const Unavailable& failure() const { return calls_.failure(); }
  /// Everything below calls the driver in this card's context.
  bool make_current() const { return context_ && context_->make_current(); }
  /// Two buffers of that size; false: no room.
  bool make_buffers(std::size_t bytes);

  const CudaApi& cuda() const { return cuda_; }
  CudaDevice device() const { return device_; }
  CudaContext context() const { return context_ ? context_->handle() : nullptr; }
  const NvmlSession& nvml() const { return nvml_; }
  DeviceReport& report() { return report_; }
  TimingSession& session() { return *session_; }
  Bench& bench() { return session_->bench(); }
  CudaStream stream() { return bench().watch().stream(); }
  const DeviceBuffer& out() const { return *out_; }
  const DeviceBuffer& in() const { return *in_; }

 private:
  const CudaApi& cuda_;
  const MachineFacts& machine_;
  CudaDevice device_;
  Calls calls_;
  NvmlSession nvml_;
  DeviceReport report_;
  std::optional<PrimaryContext> context_;
  std::unique_ptr<TimingSession> session_;
  std::optional<DeviceBuffer> out_;
  std::optional<DeviceBuffer> in_;
};

}  // namespace gpulint::probe
