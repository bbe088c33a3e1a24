#include "probe/link_checks.h"

#include "host/statistics.h"
#include "time/host_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gpulint::probe {
namespace {

/// Of NVLink's rate in one direction, what a large copy by the driver reaches: from 371 of 450
/// GB/s, 740 of 900 both ways (H100, NVIDIA/nccl#1264), to 47.9 of 50 (V100, Dell High Performance
/// Computing Solution Resources, table 3). Rounded away from both.
constexpr double kLeastNvlinkCopy = 0.80;
constexpr double kMostNvlinkCopy = 0.97;

Check check_of(std::string name, std::string baseline, const Prediction& prediction,
               const Speed& speed, const NodeReport& node) {
  Measurement measured{
      .value = speed.value, .noise = speed.noise, .disturbed_by = node.disturbed_by};
  for (const NodeCard& card : node.cards) {
    if (measured.disturbed_by.empty() && !card.slowed_down.empty()) {
      measured.disturbed_by =
          fmt::format("{}: {}", card.device.pci_bus_id, card.slowed_down.front());
    }
  }
  const Judgement judgement = judge(prediction, measured);
  return {std::move(name), std::move(baseline), prediction, std::move(measured), judgement};
}

/// What most of them do; one that differs is named as an outlier and decides nothing here.
std::optional<Speed> usual(const std::vector<Speed>& speeds) {
  if (speeds.empty()) return std::nullopt;
  std::vector<double> values;
  std::vector<double> noises;
  for (const Speed& speed : speeds) {
    values.push_back(speed.value);
    noises.push_back(speed.noise);
  }
  return Speed{median_of(std::move(values)), median_of(std::move(noises)),
               static_cast<int>(speeds.size())};
}

/// Of the rate of all NVLinks of a card, what those between two cards are.
std::optional<double> share_of_links(const NodeReport& node, const CardPair& pair) {
  const auto& all = node.cards[static_cast<std::size_t>(pair.from)].nvlinks;
  if (!pair.peers || pair.nvlinks == 0 || !all || *all == 0) return std::nullopt;
  return static_cast<double>(pair.nvlinks) / *all;
}

/// Each as if all links of a card lay between the two.
std::vector<Speed> over_nvlink(const NodeReport& node, std::optional<Speed> CardPair::*member) {
  std::vector<Speed> speeds;
  for (const CardPair& pair : node.pairs) {
    const auto share = share_of_links(node, pair);
    const auto& speed = pair.*member;
    if (!share || !speed) continue;
    speeds.push_back({speed->value / *share, speed->noise / *share, speed->samples});
  }
  return speeds;
}

void check_nvlink(const NodeReport& node, const Gpu& gpu, std::vector<Check>& checks) {
  if (!gpu.nvlink_bandwidth) return;
  const double one_way = gpu.nvlink_bandwidth->value / 2;
  const auto add = [&](std::string name, double nominal, const std::optional<Speed>& speed) {
    if (!speed) return;
    checks.push_back(
        check_of(std::move(name),
                 fmt::format("{:.2f} to {:.2f} of the database's {:.0f} GB/s, median of {} pairs",
                             kLeastNvlinkCopy, kMostNvlinkCopy, nominal / 1e9, speed->samples),
                 {Quantity::link_rate, kLeastNvlinkCopy * nominal, kMostNvlinkCopy * nominal},
                 *speed, node));
  };
  add("nvlink_copy", one_way, usual(over_nvlink(node, &CardPair::one_way)));
  add("nvlink_both_ways", 2 * one_way, usual(over_nvlink(node, &CardPair::both_ways)));
}

/// From the memory beside the card; where nobody knows which that is, from the best.
std::vector<Speed> near_uploads(const NodeReport& node) {
  std::vector<Speed> speeds;
  for (std::size_t card = 0; card < node.cards.size(); ++card) {
    std::optional<Speed> best;
    for (const NumaCopy& copy : node.numa_copies) {
      if (copy.card != static_cast<int>(card) || !copy.upload) continue;
      if (node.cards[card].numa_node && *node.cards[card].numa_node != copy.node) continue;
      if (!best || copy.upload->value > best->value) best = copy.upload;
    }
    if (best) speeds.push_back(*best);
  }
  return speeds;
}

void check_uploads(const NodeReport& node, std::vector<Check>& checks) {
  const auto& link = node.cards.front().device.pcie;
  const auto speed = usual(near_uploads(node));
  if (!link || !speed || node.cards.front().device.integrated) return;
  const auto rate = pinned_copy_rate(link->max_generation, link->width);
  if (!rate) return;
  checks.push_back(check_of("pinned_upload",
                            fmt::format("pinned copies over {} lanes of PCIe generation {}, median "
                                        "of {} cards",
                                        link->width, link->max_generation, speed->samples),
                            {Quantity::bandwidth, rate->value, rate->value}, *speed, node));
}

/// The exchange of a training step that a collective is.
ExchangeKind exchange_of(Collective kind) {
  switch (kind) {
    case Collective::all_gather:
      return ExchangeKind::all_gather;
    case Collective::reduce_scatter:
      return ExchangeKind::reduce_scatter;
    case Collective::all_reduce:
    case Collective::all_to_all:
      return ExchangeKind::all_reduce;
  }
  return ExchangeKind::all_reduce;
}

void check_collectives(const NodeReport& node, const Gpu& gpu, std::vector<Check>& checks) {
  if (node.machines != 1) return;  // what lies between machines is the config's word
  for (const Collective kind :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
    const CollectiveRate* rate = largest_of(node, kind);
    if (rate == nullptr) continue;
    const HostLinkRate link = link_inside_host(gpu, node.ranks, exchange_of(kind));
    const auto& [low, central, high] = link.bandwidth;
    checks.push_back(check_of(
        std::string(name_of(kind)),
        fmt::format("bus bandwidth of NCCL over {} between {} ranks, as the estimate has it",
                    link.name, node.ranks),
        {Quantity::link_rate, low.value, high.value}, rate->bus, node));
  }
}

Collective collective_of(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_reduce:
      return Collective::all_reduce;
    case ExchangeKind::all_gather:
      return Collective::all_gather;
    case ExchangeKind::reduce_scatter:
      return Collective::reduce_scatter;
  }
  return Collective::all_reduce;
}

/// Why what was measured says nothing of an exchange; "" when it does.
std::string unlike(const NodeReport& node, const Exchange& exchange) {
  if (exchange.inside_host && node.machines > 1) {
    return "it stays inside a machine, and several were measured together";
  }
  if (!exchange.inside_host && node.machines <= 1) {
    return "it crosses machines, and one was measured; start one process on each, with --meet";
  }
  return "";
}

}  // namespace

const CollectiveRate* largest_of(const NodeReport& node, Collective kind) {
  const CollectiveRate* largest = nullptr;
  for (const CollectiveRate& rate : node.collectives) {
    if (rate.kind == kind && (largest == nullptr || rate.size > largest->size)) largest = &rate;
  }
  return largest;
}

std::vector<Check> check_links(const NodeReport& node, const Gpu* gpu) {
  std::vector<Check> checks;
  if (node.cards.empty() || node.cards.front().device.mig) return checks;
  if (gpu != nullptr) check_nvlink(node, *gpu, checks);
  check_uploads(node, checks);
  if (gpu != nullptr) check_collectives(node, *gpu, checks);
  return checks;
}

std::vector<Check> check_exchanges(const NodeReport& node, std::span<const Exchange> exchanges,
                                   std::vector<std::string>& not_judged) {
  std::vector<Check> checks;
  for (const Exchange& exchange : exchanges) {
    const std::string name = fmt::format("exchange_{}", exchange.name);
    const CollectiveRate* rate = largest_of(node, collective_of(exchange.kind));
    std::string why = rate == nullptr || !(rate->bus.value > 0)
                          ? fmt::format("no {} was timed", name_of(exchange.kind))
                          : unlike(node, exchange);
    if (!why.empty()) {
      not_judged.push_back(fmt::format("{}: {}", name, why));
      continue;
    }
    const double seconds = exchange.link_bytes.as_double() / rate->bus.value;
    const Speed took{seconds, seconds * rate->bus.noise / rate->bus.value, rate->bus.samples};
    checks.push_back(check_of(
        name,
        fmt::format("{} of {}, {:.3f} GB a link and step over {} ranks, by the bus "
                    "bandwidth of {} measured ones",
                    name_of(exchange.kind), exchange.of, exchange.link_bytes.as_gb(), exchange.ranks,
                    node.ranks),
        {Quantity::exchange_time, exchange.predicted.low.value, exchange.predicted.high.value},
        took, node));
  }
  return checks;
}

}  // namespace gpulint::probe
