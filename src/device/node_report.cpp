#include "device/node_report.h"

#include <array>

namespace gpulint::probe {
namespace {

struct AncestorWords {
  std::string_view name;
  std::string_view words;
};
/// In the order of Ancestor.
constexpr std::array<AncestorWords, kAncestorCount> kAncestors{{
    {"unknown", "unknown"},
    {"board", "the same board"},
    {"one_switch", "one PCIe switch"},
    {"switches", "several PCIe switches"},
    {"host_bridge", "one host bridge"},
    {"numa_node", "one NUMA node"},
    {"system", "two NUMA nodes"},
}};
/// In the order of Collective.
constexpr std::array<std::string_view, kCollectiveCount> kCollectives{
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all"};

}  // namespace

std::string_view name_of(Ancestor ancestor) {
  return kAncestors[static_cast<std::size_t>(ancestor)].name;
}

std::string_view words_of(Ancestor ancestor) {
  return kAncestors[static_cast<std::size_t>(ancestor)].words;
}

std::optional<Ancestor> ancestor_from(std::string_view name) {
  for (std::size_t i = 0; i < kAncestors.size(); ++i) {
    if (kAncestors[i].name == name) return static_cast<Ancestor>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Collective collective) {
  return kCollectives[static_cast<std::size_t>(collective)];
}

std::optional<Collective> collective_from(std::string_view name) {
  for (std::size_t i = 0; i < kCollectives.size(); ++i) {
    if (kCollectives[i] == name) return static_cast<Collective>(i);
  }
  return std::nullopt;
}

double bus_share(Collective collective, int ranks) {
  const double others = (ranks - 1.0) / ranks;
  return collective == Collective::all_reduce ? 2 * others : others;
}

}  // namespace gpulint::probe
