#include "device/open_card.h"

#include "device/identity.h"

namespace gpulint::probe {

OpenCard::OpenCard(const Driver& driver, const MachineFacts& machine, CudaDevice device)
    : cuda_(driver.cuda),
      machine_(machine),
      device_(device),
      calls_(driver.cuda, machine),
      nvml_(driver.nvml) {}

OpenCard::~OpenCard() {
  // Streams, events and memory belong to the context, which ends last.
  make_current();
  in_.reset();
  out_.reset();
  session_.reset();
}

bool OpenCard::open(const Assignment& assignment) {
  if (!identify(cuda_, calls_, device_, nvml_, report_)) return false;
  context_.emplace(cuda_, device_, calls_);
  std::size_t free = 0;
  std::size_t total = 0;
  if (!context_->ready() || !calls_.ok(cuda_.memory_info(&free, &total), "cuMemGetInfo_v2")) {
    return false;
  }
  report_.cuda_free = bytes_of(free);
  report_.pcie = nvml_.pcie_link();  // with a context the link is out of its idle state
  session_ = std::make_unique<TimingSession>(cuda_, machine_, report_, assignment);
  return session_->ready();
}

bool OpenCard::make_buffers(std::size_t bytes) {
  if (!make_current()) return false;
  out_.emplace(cuda_, session_->calls(), bytes);
  in_.emplace(cuda_, session_->calls(), bytes);
  return out_->ready() && in_->ready();
}

}  // namespace gpulint::probe
