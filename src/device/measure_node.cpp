#include "device/measure_node.h"

#include "device/card_health.h"
#include "device/collectives.h"
#include "device/device_copy.h"
#include "device/host_copy.h"
#include "device/identity.h"
#include "device/numa_copies.h"
#include "device/open_card.h"
#include "device/peer_copies.h"
#include "device/stop_signals.h"
#include "host/numa.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gpulint::probe {
namespace {

/// Of a buffer of each card, twice: half a millisecond of NVLink.
constexpr Bytes kLinkBuffer = Bytes::mib(128);
constexpr std::size_t kCopiedAlone = std::size_t{512} << 20;  // on the card: beyond any L2
constexpr GemmShape kProductAlone{.m = 4096, .n = 4096, .k = 4096};

class NodeMeasurement {
 public:
  NodeMeasurement(const Driver& driver, const MachineFacts& machine,
                  const NodeAssignment& assignment)
      : driver_(driver), machine_(machine), assignment_(assignment) {}

  NodeOutcome run();

 private:
  bool late() const {
    return stop_signal() != 0 || std::chrono::steady_clock::now() >= assignment_.each.end;
  }
  bool is_over(const std::string& what) {
    if (late()) skip(what, "out of time");
    return late();
  }
  void skip(const std::string& what, const std::string& why) {
    constexpr std::size_t kMostSkipped = 48;  // a reader takes 64 texts
    if (report_.not_measured.size() < kMostSkipped) {
      report_.not_measured.push_back(fmt::format("{}: {}", what, why));
    }
  }
  void publish() const {
    if (assignment_.publish) assignment_.publish(report_);
  }
  std::string name(int card) const {
    return report_.cards[static_cast<std::size_t>(card)].device.pci_bus_id;
  }
  bool open_cards(Unavailable& failure);
  bool may_be_used();
  void look_at_cards();
  void time_alone(OpenCard& card, NodeCard& found);
  void time_numa();
  void time_pairs();
  void time_collectives_of_job();
  void finish(const XidWatch& xids);

  const Driver& driver_;
  const MachineFacts& machine_;
  const NodeAssignment& assignment_;
  NodeReport report_;
  std::vector<std::unique_ptr<OpenCard>> cards_;
};

/// Where every process of a machine has a card of its own, only that one.
bool NodeMeasurement::open_cards(Unavailable& failure) {
  Calls calls(driver_.cuda, machine_);
  DeviceReport driver;
  if (!start_driver(driver_.cuda, calls, driver)) {
    failure = calls.failure();
    return false;
  }
  report_.cuda_version = driver.cuda_version;
  report_.visible_devices = driver.visible_devices;
  const JobPlace& place = assignment_.place;
  const bool one_each = place.local_processes > 1;
  const int first = one_each ? place.local_rank % driver.visible_devices : 0;
  const int end = one_each ? first + 1 : std::min(driver.visible_devices, kMostCardsOfProcess);
  for (int ordinal = first; ordinal < end; ++ordinal) {
    CudaDevice device = 0;
    if (!calls.ok(driver_.cuda.device_at(&device, ordinal), "cuDeviceGet")) {
      failure = calls.failure();
      return false;
    }
    auto card = std::make_unique<OpenCard>(driver_, machine_, device);
    if (card->open(assignment_.each)) {
      cards_.push_back(std::move(card));
    } else {
      failure = card->failure();
      skip(fmt::format("card {}", ordinal),
           fmt::format("{}: {}", name_of(failure.reason), failure.detail));
    }
  }
  return !cards_.empty();
}

void NodeMeasurement::look_at_cards() {
  for (const auto& card : cards_) {
    NodeCard found{
        .device = card->report(), .numa_node = {}, .nvlinks = {}, .idle = {}, .health = {}};
    found.numa_node = numa_node_of(assignment_.root, card->report().pci_bus_id);
    found.nvlinks = active_nvlinks(card->nvml());
    found.idle = card->nvml().state();
    report_.driver_version = card->report().driver_version;
    report_.cards.push_back(std::move(found));
  }
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    for (std::size_t j = 0; j < cards_.size(); ++j) {
      if (i == j) continue;
      CardPair pair = pair_of(cards_[i]->nvml(), cards_[j]->nvml(), name(static_cast<int>(j)));
      pair.from = static_cast<int>(i);
      pair.to = static_cast<int>(j);
      report_.pairs.push_back(pair);
    }
  }
}

/// Beside others nothing is timed: it would be neither their rate nor ours.
bool NodeMeasurement::may_be_used() {
  for (const NodeCard& card : report_.cards) {
    if (card.device.other_processes.value_or(0) == 0) continue;
    report_.disturbed_by = "another process uses card " + card.device.pci_bus_id;
    if (assignment_.each.share) continue;
    skip("everything", report_.disturbed_by + "; --share times beside it");
    return false;
  }
  return true;
}

void NodeMeasurement::time_alone(OpenCard& card, NodeCard& found) {
  if (is_over("card " + found.device.pci_bus_id) || !card.make_current()) return;
  card.bench().watch_load([&] {
    const CardState now = card.nvml().state();
    if (now.power.value_or(0) >= found.device.under_load.power.value_or(0)) {
      found.device.under_load = now;
    }
    const std::string why = card.nvml().disturbance();
    auto& seen = found.slowed_down;
    if (!why.empty() && std::find(seen.begin(), seen.end(), why) == seen.end()) seen.push_back(why);
  });
  const auto add = [&](RateKind kind, double work, const std::optional<std::vector<double>>& took) {
    if (!took)
      return skip(fmt::format("{} of {}", name_of(kind), found.device.pci_bus_id),
                  card.session().why());
    const Speed speed = speed_of(work, *took);
    found.device.rates.push_back({kind, speed.value, speed.noise, speed.samples});
  };
  constexpr SamplePlan kLoad{.warm_up = Seconds{0.2}};  // an idle card's clocks rise in this time
  add(RateKind::copy, 2.0 * static_cast<double>(kCopiedAlone),
      sample_copy(card.bench(), kCopiedAlone, kLoad));
  found.device.library = card.session().library();
  const Tier tier = found.device.library.empty() ? Tier::kernel : Tier::library;
  add(kind_of(tier, NumberFormat::bf16), operations_of(kProductAlone),
      card.session().gemm().sample(kProductAlone, NumberFormat::bf16, tier));
  card.bench().watch_load({});
}

void NodeMeasurement::time_numa() {
  const CudaApi& cuda = driver_.cuda;
  std::vector<NumaNode> nodes = numa_nodes(assignment_.root);
  const Bytes size = std::min(kLinkBuffer, host_buffer_size(available_host_memory()));
  const bool possible = cuda.host_allocate != nullptr && cuda.host_free != nullptr &&
                        cuda.upload != nullptr && cuda.download != nullptr && size.count() > 0;
  if (!possible)
    return skip("host copies", "too little host memory, or the driver lacks a function");
  if (nodes.empty()) return skip("host copies", "the kernel does not name its NUMA nodes");
  for (std::size_t card = 0; card < cards_.size(); ++card) {
    for (const NumaNode& node : nodes) {
      const std::string what =
          fmt::format("copies of {} from node {}", name(static_cast<int>(card)), node.number);
      if (is_over(what)) return;
      NumaCopy found{.card = static_cast<int>(card),
                     .node = node.number,
                     .upload = {},
                     .download = {},
                     .both_ways = {}};
      const std::string why = time_numa_copies(*cards_[card], node, size, found);
      if (!why.empty()) skip(what, why);
      if (found.upload) report_.numa_copies.push_back(found);
    }
  }
}

void NodeMeasurement::time_pairs() {
  if (cards_.size() < 2) return;
  const PeerAccess access(cards_);
  for (CardPair& pair : report_.pairs) {
    const std::string what = fmt::format("{} to {}", name(pair.from), name(pair.to));
    if (is_over(what)) return;
    pair.peers = access.between(pair.from, pair.to);
    const std::string why =
        time_pair(*cards_[static_cast<std::size_t>(pair.from)],
                  *cards_[static_cast<std::size_t>(pair.to)], pair.from < pair.to, pair);
    if (!why.empty()) skip(what, why);
    publish();
  }
}

void NodeMeasurement::time_collectives_of_job() {
  if (assignment_.place.processes <= 1 && cards_.size() < 2) {
    return skip("collectives", "there is one card");
  }
  if (is_over("collectives")) return;
  std::string why = assignment_.no_nccl;
  for (const std::string& path : assignment_.nccl) {
    const auto nccl = load_nccl(path);
    if (!nccl) {
      why = nccl.error().message;
      continue;
    }
    report_.nccl = fmt::format("{}, {}", nccl_name(*nccl), path);
    time_collectives(*nccl, assignment_.place, cards_, assignment_.each.end, assignment_.publish,
                     report_);
    return;
  }
  skip("collectives", why);
}

void NodeMeasurement::finish(const XidWatch& xids) {
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    report_.cards[i].health = memory_health(cards_[i]->nvml());
    report_.cards[i].device.pcie = cards_[i]->nvml().pcie_link();
  }
  xids.collect(report_.cards);
}

NodeOutcome NodeMeasurement::run() {
  report_.driver_library = driver_.cuda_path;
  Unavailable failure{Reason::init_failed, {}};
  if (!open_cards(failure)) return failure;
  std::vector<const NvmlSession*> sessions;
  for (const auto& card : cards_) sessions.push_back(&card->nvml());
  const XidWatch xids(sessions);
  look_at_cards();
  publish();
  if (!machine_.granted_part.empty()) {
    report_.disturbed_by = "MPS grants a part of the cards: " + machine_.granted_part;
  }
  if (!can_time(driver_.cuda) || !driver_.cuda.peer.complete()) {
    skip("everything", "the driver lacks a function");
  } else if (may_be_used()) {
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      time_alone(*cards_[i], report_.cards[i]);
      publish();
    }
    bool room = true;
    for (const auto& card : cards_) {
      room = card->make_buffers(static_cast<std::size_t>(kLinkBuffer.count())) && room;
    }
    if (room) {
      time_pairs();
      time_numa();
      publish();
      time_collectives_of_job();
    } else {
      skip("links", "too little free memory");
    }
  }
  finish(xids);
  return std::move(report_);
}

}  // namespace

NodeOutcome measure_node(const Driver& driver, const MachineFacts& machine,
                         const NodeAssignment& assignment) {
  return NodeMeasurement(driver, machine, assignment).run();
}

}  // namespace gpulint::probe
