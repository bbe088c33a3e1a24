// Cards and links of one machine against each other. A link is held against those between cards
// that are joined alike; where every link of a card is slow the card is named in their place.

#include "host/statistics.h"
#include "probe/fleet.h"
#include "probe/link_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace gpulint::probe {
namespace {

/// As for cards of a fleet (fleet.cpp).
constexpr double kSlowerLink = 0.15;

using LinkKind = std::tuple<bool, int, int>;  // peers, NVLinks, what lies between without them

LinkKind kind_of_link(const CardPair& pair) {
  return {pair.peers, pair.nvlinks, pair.nvlinks > 0 ? 0 : static_cast<int>(pair.ancestor)};
}

std::string words_of_link(const CardPair& pair) {
  if (pair.nvlinks > 0) return fmt::format("over {} NVLinks", pair.nvlinks);
  const std::string way = fmt::format("over {}", words_of(pair.ancestor));
  return pair.peers ? way : way + " and the host's memory";
}

struct SlowLink {
  const CardPair* pair;
  double usual;  // of the others of its kind
};

std::vector<SlowLink> slow_links(const NodeReport& node) {
  std::vector<SlowLink> slow;
  for (const CardPair& pair : node.pairs) {
    if (!pair.one_way) continue;
    std::vector<double> others;
    for (const CardPair& other : node.pairs) {
      if (&other != &pair && other.one_way && kind_of_link(other) == kind_of_link(pair)) {
        others.push_back(other.one_way->value);
      }
    }
    if (others.empty()) continue;
    const double usual = median_of(std::move(others));
    const bool noisy = pair.one_way->noise > kSlowerLink / 2 * usual;
    if (!noisy && pair.one_way->value < (1 - kSlowerLink) * usual) slow.push_back({&pair, usual});
  }
  return slow;
}

std::string address_of(const NodeReport& node, int card) {
  return node.cards[static_cast<std::size_t>(card)].device.pci_bus_id;
}

void add_links(const NodeReport& node, std::vector<std::string>& found) {
  const std::vector<SlowLink> slow = slow_links(node);
  std::map<int, int> of_card;
  for (const SlowLink& link : slow) {
    ++of_card[link.pair->from];
    ++of_card[link.pair->to];
  }
  // From and to each of the others.
  const int all = 2 * (static_cast<int>(node.cards.size()) - 1);
  const auto whole = [&](int card) { return node.cards.size() > 2 && of_card[card] == all; };
  for (const auto& [card, links] : of_card) {
    if (whole(card)) {
      found.push_back(fmt::format("{}: every link is slow", address_of(node, card)));
    }
  }
  for (const SlowLink& link : slow) {
    const CardPair& pair = *link.pair;
    if (whole(pair.from) || whole(pair.to)) continue;
    found.push_back(fmt::format("{} to {}: {:.0f} GB/s {}, {:.0f} % below its siblings' {:.0f}",
                                address_of(node, pair.from), address_of(node, pair.to),
                                pair.one_way->value / 1e9, words_of_link(pair),
                                100 * (1 - pair.one_way->value / link.usual), link.usual / 1e9));
  }
}

void add_nvlinks(const NodeReport& node, std::vector<std::string>& found) {
  int most = 0;
  for (const NodeCard& card : node.cards) most = std::max(most, card.nvlinks.value_or(0));
  for (const NodeCard& card : node.cards) {
    if (card.nvlinks && *card.nvlinks < most) {
      found.push_back(fmt::format("{}: {} NVLinks, its siblings have {}", card.device.pci_bus_id,
                                  *card.nvlinks, most));
    }
  }
}

void add_health(const NodeCard& card, std::vector<std::string>& found) {
  const auto add = [&](const std::string& what) {
    found.push_back(fmt::format("{}: {}", card.device.pci_bus_id, what));
  };
  const MemoryHealth& health = card.health;
  if (health.uncorrected.value_or(0) > 0) {
    add(fmt::format("{} memory errors that could not be corrected since the driver was loaded",
                    *health.uncorrected));
  }
  if (health.remap_failed.value_or(false)) add("a broken row of its memory could not be remapped");
  if (health.remap_pending.value_or(false)) {
    add("a row of its memory is remapped at the next reset");
  }
  for (const int xid : card.xids) {
    add(fmt::format("the driver reported XID {} while it was measured", xid));
  }
  for (const std::string& why : card.slowed_down) add(why);
}

/// The slowest of the uploads beside each card, against the others.
void add_uploads(const NodeReport& node, std::vector<std::string>& found) {
  std::vector<std::optional<double>> best(node.cards.size());
  for (const NumaCopy& copy : node.numa_copies) {
    auto& of_card = best[static_cast<std::size_t>(copy.card)];
    if (copy.upload) of_card = std::max(of_card.value_or(0), copy.upload->value);
  }
  for (std::size_t card = 0; card < best.size(); ++card) {
    std::vector<double> others;
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (i != card && best[i]) others.push_back(*best[i]);
    }
    if (!best[card] || others.empty()) continue;
    const double usual = median_of(std::move(others));
    if (*best[card] >= (1 - kSlowerLink) * usual) continue;
    found.push_back(fmt::format("{}: copies from the host at {:.0f} GB/s, its siblings' at {:.0f}",
                                node.cards[card].device.pci_bus_id, *best[card] / 1e9,
                                usual / 1e9));
  }
}

}  // namespace

std::vector<std::string> node_outliers(const NodeReport& node) {
  std::vector<std::string> found;
  for (const NodeCard& card : node.cards) {
    std::vector<const DeviceReport*> siblings;
    for (const NodeCard& other : node.cards) {
      if (&other != &card && other.device.name == card.device.name) {
        siblings.push_back(&other.device);
      }
    }
    for (const std::string& what : differences(card.device, siblings)) {
      found.push_back(fmt::format("{}: {}", card.device.pci_bus_id, what));
    }
    add_health(card, found);
  }
  add_nvlinks(node, found);
  add_uploads(node, found);
  add_links(node, found);
  return found;
}

}  // namespace gpulint::probe
