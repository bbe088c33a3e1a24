#pragma once

// What several cards of a machine, or of a job over several machines, do together.

#include "device/device_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpulint::probe {

/// What lies between two cards on PCIe, from near to far.
enum class Ancestor : std::uint8_t {
  unknown,
  board,
  one_switch,
  switches,
  host_bridge,
  numa_node,
  system,
};
inline constexpr std::size_t kAncestorCount = 7;
/// "one_switch"
std::string_view name_of(Ancestor ancestor);
std::optional<Ancestor> ancestor_from(std::string_view name);
/// For people: "one PCIe switch".
std::string_view words_of(Ancestor ancestor);

enum class Collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all };
inline constexpr std::size_t kCollectiveCount = 4;
std::string_view name_of(Collective collective);
std::optional<Collective> collective_from(std::string_view name);
/// Bytes a link carries for each byte of the message, as nccl-tests counts bus bandwidth: 2 (n-1)/n
/// of an all-reduce, (n-1)/n of the others.
double bus_share(Collective collective, int ranks);

/// Bytes per second: the median of repeated timings, and what they scatter over.
struct Speed {
  double value = 0;
  double noise = 0;
  int samples = 0;
  friend bool operator==(const Speed&, const Speed&) = default;
};

/// What a card says of its memory; unset = NVML does not say.
struct MemoryHealth {
  std::optional<bool> ecc;
  std::optional<std::int64_t> corrected;         // errors since the driver was loaded
  std::optional<std::int64_t> uncorrected;       // likewise
  std::optional<std::int64_t> uncorrected_ever;  // of the card's life
  std::optional<int> remapped_rows;
  std::optional<bool> remap_pending;  // of a row, at the next reset
  std::optional<bool> remap_failed;
  std::optional<int> retired_pages;  // of cards that remap no rows
  friend bool operator==(const MemoryHealth&, const MemoryHealth&) = default;
};

struct NodeCard {
  DeviceReport device;                        // its identity, memory, link, and what it did alone
  std::optional<int> numa_node;               // of the machine
  std::optional<int> nvlinks;                 // active ones
  CardState idle;                             // before anything was run
  MemoryHealth health;                        // after everything was
  std::vector<std::string> slowed_down = {};  // why, while it worked, each once
  std::vector<int> xids = {};                 // errors the driver reported meanwhile
  friend bool operator==(const NodeCard&, const NodeCard&) = default;
};

/// From one card to another, by their places in `cards`.
struct CardPair {
  int from = 0;
  int to = 0;
  Ancestor ancestor = Ancestor::unknown;
  int nvlinks = 0;     // between them, a switch included
  bool peers = false;  // each reads the other's memory without the host
  std::optional<Speed> one_way;
  std::optional<Speed> both_ways;  // of both directions together; where `from` < `to`
  friend bool operator==(const CardPair&, const CardPair&) = default;
};

/// Page-locked copies between a card and the memory of one NUMA node.
struct NumaCopy {
  int card = 0;
  int node = 0;
  bool memory_chosen = true;  // false: the system forbids to choose memory, the CPUs alone were
  std::optional<Speed> upload;
  std::optional<Speed> download;
  std::optional<Speed> both_ways;  // of both together
  friend bool operator==(const NumaCopy&, const NumaCopy&) = default;
};

struct CollectiveRate {
  Collective kind = Collective::all_reduce;
  Bytes size;  // of the message
  Speed bus;   // bus bandwidth
  friend bool operator==(const CollectiveRate&, const CollectiveRate&) = default;
};

/// One process measures no more.
inline constexpr int kMostCardsOfProcess = 64;

struct NodeReport {
  std::string driver_version;  // "" without NVML
  std::string driver_library;
  int cuda_version = 0;
  int visible_devices = 0;
  std::vector<NodeCard> cards;
  std::vector<CardPair> pairs;
  std::vector<NumaCopy> numa_copies;
  std::string nccl;  // "NCCL 2.27.5, /path"; "" = none was loaded
  int ranks = 0;     // that took part in the collectives
  int machines = 0;  // they were on
  std::vector<CollectiveRate> collectives;
  std::vector<std::string> not_measured;  // "all_reduce: why"
  std::string disturbed_by;
  /// Why the measuring process ended before it was done; what was measured until then is here.
  std::string cut_off = {};
  friend bool operator==(const NodeReport&, const NodeReport&) = default;
};

using NodeOutcome = std::variant<NodeReport, Unavailable, Failed>;

}  // namespace gpulint::probe
