#pragma once

#include "device/node_report.h"
#include "device/open_card.h"

#include <memory>
#include <string>
#include <vector>

namespace gpulint::probe {

/// Access of every card's context to every other's memory, as far as the driver gives it; taken
/// back when this ends.
class PeerAccess {
 public:
  explicit PeerAccess(const std::vector<std::unique_ptr<OpenCard>>& cards);
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;
  ~PeerAccess();
  /// Both ways.
  bool between(int from, int to) const;

 private:
  const std::vector<std::unique_ptr<OpenCard>>& cards_;
  std::vector<std::vector<bool>> given_;
};

/// Times copies from the buffer `out` of one card to the buffer `in` of another, one way and, where
/// `both`, with copies the other way meanwhile. The copy is compared with its source first: a
/// machine whose IOMMU redirects peers' traffic loses it without an error. What failed is why, and
/// "" where nothing did.
std::string time_pair(OpenCard& from, OpenCard& to, bool both, CardPair& pair);

/// Of what was timed, in seconds, that moved so many bytes.
Speed speed_of(double bytes, const std::vector<double>& seconds);

}  // namespace gpulint::probe
