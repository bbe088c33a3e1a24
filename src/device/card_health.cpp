#include "device/card_health.h"

#include "base/text.h"
#include "device/card_digits.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace gpulint::probe {
namespace {

std::int64_t as_count(unsigned long long value) {
  constexpr auto kMost = static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMost));
}

int as_int(unsigned int value) { return static_cast<int>(std::min(value, 1'000'000U)); }

std::optional<std::int64_t> errors_of(const NvmlSession& nvml, int error, int counter) {
  const auto call = nvml.node()->ecc_errors;
  unsigned long long count = 0;
  if (call == nullptr || call(nvml.device(), error, counter, &count) != kNvmlSuccess) {
    return std::nullopt;
  }
  return as_count(count);
}

std::optional<int> retired_pages(const NvmlSession& nvml) {
  const auto call = nvml.node()->retired_pages;
  if (call == nullptr) return std::nullopt;
  int sum = 0;
  for (const int cause : {kRetiredBySingleBit, kRetiredByDoubleBit}) {
    unsigned int count = 0;
    const NvmlResult code = call(nvml.device(), cause, &count, nullptr);
    if (code != kNvmlSuccess && code != kNvmlInsufficientSize) return std::nullopt;
    sum += as_int(count);
  }
  return sum;
}

bool is_active(const NvmlSession& nvml, unsigned int link) {
  const auto call = nvml.node()->nvlink_state;
  int active = 0;
  return call != nullptr && call(nvml.device(), link, &active) == kNvmlSuccess && active != 0;
}

/// "00000000:03:00.0" and "0000:03:00.0" are one address.
bool same_address(std::string_view a, std::string_view b) {
  const auto without_domain = [](std::string_view id) {
    const auto colon = id.find(':');
    return to_lower(colon == std::string_view::npos ? id : id.substr(colon));
  };
  const auto domain = [](std::string_view id) {
    const std::string_view digits = id.substr(0, id.find(':'));
    const auto first = digits.find_first_not_of('0');
    return to_lower(first == std::string_view::npos ? "" : digits.substr(first));
  };
  return without_domain(a) == without_domain(b) && domain(a) == domain(b);
}

struct Remote {
  int type = kNvlinkToGpu;
  std::string bus_id;
};

std::optional<Remote> remote_of(const NvmlSession& nvml, unsigned int link) {
  const NvmlNodeApi& api = *nvml.node();
  NvmlPciInfo pci;
  if (api.nvlink_remote == nullptr ||
      api.nvlink_remote(nvml.device(), link, &pci) != kNvmlSuccess) {
    return std::nullopt;
  }
  pci.bus_id.back() = '\0';
  Remote remote{.type = kNvlinkToGpu, .bus_id = pci.bus_id.data()};
  // Drivers before R465 lack it; then only links straight to another card are known.
  if (api.nvlink_remote_type == nullptr ||
      api.nvlink_remote_type(nvml.device(), link, &remote.type) != kNvmlSuccess) {
    remote.type = -1;
  }
  return remote;
}

struct Links {
  int direct = 0;     // to the other card
  int by_switch = 0;  // to a switch
};

Links links_to(const NvmlSession& nvml, const std::string& bus_id) {
  Links links;
  for (unsigned int link = 0; link < kMostNvlinks; ++link) {
    if (!is_active(nvml, link)) continue;
    const auto remote = remote_of(nvml, link);
    if (!remote) continue;
    if (remote->type == kNvlinkToSwitch) ++links.by_switch;
    if (remote->type != kNvlinkToSwitch && same_address(remote->bus_id, bus_id)) ++links.direct;
  }
  return links;
}

Ancestor ancestor_of(const NvmlSession& a, const NvmlSession& b) {
  int level = -1;
  const auto call = a.node()->common_ancestor;
  if (call == nullptr || call(a.device(), b.device(), &level) != kNvmlSuccess) {
    return Ancestor::unknown;
  }
  switch (level) {
    case kTopologyInternal:
      return Ancestor::board;
    case kTopologySingle:
      return Ancestor::one_switch;
    case kTopologyMultiple:
      return Ancestor::switches;
    case kTopologyHostBridge:
      return Ancestor::host_bridge;
    case kTopologyNode:
      return Ancestor::numa_node;
    case kTopologySystem:
      return Ancestor::system;
    default:
      return Ancestor::unknown;
  }
}

}  // namespace

MemoryHealth memory_health(const NvmlSession& nvml) {
  MemoryHealth health;
  if (nvml.node() == nullptr) return health;
  const NvmlNodeApi& api = *nvml.node();
  int current = 0;
  int after_reset = 0;
  if (api.ecc_mode != nullptr &&
      api.ecc_mode(nvml.device(), &current, &after_reset) == kNvmlSuccess) {
    health.ecc = current != 0;
  }
  health.corrected = errors_of(nvml, kEccCorrected, kEccVolatile);
  health.uncorrected = errors_of(nvml, kEccUncorrected, kEccVolatile);
  health.uncorrected_ever = errors_of(nvml, kEccUncorrected, kEccAggregate);
  unsigned int by_corrected = 0;
  unsigned int by_uncorrected = 0;
  unsigned int pending = 0;
  unsigned int failed = 0;
  if (api.remapped_rows != nullptr &&
      api.remapped_rows(nvml.device(), &by_corrected, &by_uncorrected, &pending, &failed) ==
          kNvmlSuccess) {
    health.remapped_rows = as_int(by_corrected) + as_int(by_uncorrected);
    health.remap_pending = pending != 0;
    health.remap_failed = failed != 0;
  } else {
    health.retired_pages = retired_pages(nvml);
  }
  return health;
}

std::optional<int> active_nvlinks(const NvmlSession& nvml) {
  if (nvml.node() == nullptr || nvml.node()->nvlink_state == nullptr) return std::nullopt;
  int links = 0;
  for (unsigned int link = 0; link < kMostNvlinks; ++link) links += is_active(nvml, link) ? 1 : 0;
  return links;
}

CardPair pair_of(const NvmlSession& from, const NvmlSession& to, const std::string& to_bus_id) {
  CardPair pair;
  if (from.node() == nullptr || to.node() == nullptr) return pair;
  pair.ancestor = ancestor_of(from, to);
  const Links out = links_to(from, to_bus_id);
  pair.nvlinks =
      out.direct > 0 ? out.direct : std::min(out.by_switch, links_to(to, to_bus_id).by_switch);
  return pair;
}

std::string card_hash(const NvmlSession& nvml) {
  std::array<char, 96> text{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE
  if (nvml.node() == nullptr || nvml.node()->uuid == nullptr ||
      nvml.node()->uuid(nvml.device(), text.data(), static_cast<unsigned>(text.size() - 1)) !=
          kNvmlSuccess) {
    return "";
  }
  return card_digits(text.data());
}

XidWatch::XidWatch(const std::vector<const NvmlSession*>& cards) : cards_(cards) {
  for (const NvmlSession* card : cards_) {
    const NvmlNodeApi* api = card->node();
    if (api == nullptr || api->event_set_create == nullptr || api->event_set_free == nullptr ||
        api->register_events == nullptr || api->event_wait == nullptr) {
      continue;
    }
    if (set_ == nullptr && api->event_set_create(&set_) != kNvmlSuccess) {
      set_ = nullptr;
      return;
    }
    api_ = api;
    api->register_events(card->device(), kEventXid, set_);
  }
}

XidWatch::~XidWatch() {
  if (set_ != nullptr) api_->event_set_free(set_);
}

void XidWatch::collect(std::vector<NodeCard>& cards) const {
  constexpr int kMostEvents = 64;
  NvmlEvent event;
  for (int i = 0; set_ != nullptr && i < kMostEvents; ++i) {
    if (api_->event_wait(set_, &event, 0) != kNvmlSuccess) return;
    for (std::size_t card = 0; card < cards_.size() && card < cards.size(); ++card) {
      if (event.type == kEventXid && cards_[card]->device() == event.device) {
        cards[card].xids.push_back(static_cast<int>(std::min(event.data, 1'000'000ULL)));
      }
    }
  }
}

}  // namespace gpulint::probe
