#pragma once

#include "device/driver_session.h"
#include "device/node_report.h"

#include <string>
#include <vector>

namespace gpulint::probe {

/// What NVML says of the memory of the session's card.
MemoryHealth memory_health(const NvmlSession& nvml);

/// Active NVLinks of a card; nullopt where NVML does not say.
std::optional<int> active_nvlinks(const NvmlSession& nvml);

/// What joins two cards: the common ancestor on PCIe, and NVLinks to each other or to a switch that
/// both have.
CardPair pair_of(const NvmlSession& from, const NvmlSession& to, const std::string& to_bus_id);

/// Eight hexadecimal digits that tell one card from another and say nothing else; "" without NVML.
std::string card_hash(const NvmlSession& nvml);

/// Errors that the driver reports of cards while this lives (XIDs).
class XidWatch {
 public:
  explicit XidWatch(const std::vector<const NvmlSession*>& cards);
  XidWatch(const XidWatch&) = delete;
  XidWatch& operator=(const XidWatch&) = delete;
  ~XidWatch();
  /// Adds to `cards`, which are in the order they were given, what came since.
  void collect(std::vector<NodeCard>& cards) const;

 private:
  std::vector<const NvmlSession*> cards_;
  const NvmlNodeApi* api_ = nullptr;
  void* set_ = nullptr;
};

}  // namespace gpulint::probe
