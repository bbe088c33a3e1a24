#include "base/text.h"
#include "report/check_report.h"
#include "report/node_report.h"
#include "report/table.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

namespace gpulint {
namespace {

using probe::CardPair;
using probe::NodeCard;
using probe::NodeConfirmation;
using probe::NodeReport;
using probe::NumaCopy;
using probe::Speed;
using NodeRow = std::vector<std::string>;

std::string gigabytes(const std::optional<Speed>& speed) {
  return speed ? fmt::format("{:.0f}", speed->value / 1e9) : "-";
}

std::string number_or_dash(const std::optional<int>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string rates_words(const NodeCard& card) {
  std::string words;
  for (const probe::Rate& rate : card.device.rates) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name_of(rate.kind),
                         words_of(rate.kind, rate.value));
  }
  return words;
}

std::string health_words(const NodeCard& card) {
  const probe::MemoryHealth& health = card.health;
  std::string words = !health.ecc ? "ECC unknown" : *health.ecc ? "ECC on" : "ECC off";
  if (health.corrected) words += fmt::format(", {} corrected", *health.corrected);
  if (health.uncorrected) words += fmt::format(", {} uncorrected", *health.uncorrected);
  if (health.remapped_rows) {
    words += fmt::format(", {}", counted(*health.remapped_rows, "remapped row"));
  }
  if (health.retired_pages) {
    words += fmt::format(", {}", counted(*health.retired_pages, "retired page"));
  }
  return words;
}

std::string cards_text(const NodeReport& node) {
  std::vector<NodeRow> rows{{"card", "device", "PCI", "link", "NUMA", "NVLinks"}};
  for (std::size_t i = 0; i < node.cards.size(); ++i) {
    const NodeCard& card = node.cards[i];
    const auto& pcie = card.device.pcie;
    rows.push_back({std::to_string(i), card.device.name, card.device.pci_bus_id,
                    pcie ? fmt::format("x{} gen {}", pcie->width, pcie->generation) : "-",
                    number_or_dash(card.numa_node), number_or_dash(card.nvlinks)});
  }
  std::string text = table_text(rows);
  for (std::size_t i = 0; i < node.cards.size(); ++i) {
    const NodeCard& card = node.cards[i];
    const std::string idle = state_words(card.idle);
    const std::string load = state_words(card.device.under_load);
    text += fmt::format("card {:<2}       {}; {}\n", i, rates_words(card), health_words(card));
    if (!idle.empty()) text += fmt::format("              idle {}; under load {}\n", idle, load);
  }
  return text;
}

/// Rows are from, columns to; above the diagonal of the second table both ways together.
std::string links_text(const NodeReport& node, std::optional<Speed> CardPair::*member,
                       std::string_view title) {
  std::vector<NodeRow> rows{{std::string(title)}};
  for (std::size_t i = 0; i < node.cards.size(); ++i) rows.front().push_back(std::to_string(i));
  bool any = false;
  for (std::size_t i = 0; i < node.cards.size(); ++i) {
    rows.push_back({std::to_string(i)});
    rows.back().resize(node.cards.size() + 1, "-");
  }
  for (const CardPair& pair : node.pairs) {
    rows[static_cast<std::size_t>(pair.from) + 1][static_cast<std::size_t>(pair.to) + 1] =
        gigabytes(pair.*member);
    any = any || (pair.*member).has_value();
  }
  return any ? table_text(rows) : "";
}

/// Each way once, with the cards it is between.
std::string ways_text(const NodeReport& node) {
  std::map<std::string, std::string> pairs;
  for (const CardPair& pair : node.pairs) {
    if (pair.from > pair.to) continue;
    const std::string nvlinks =
        pair.nvlinks > 0 ? fmt::format("{}, ", counted(pair.nvlinks, "NVLink")) : "";
    pairs[fmt::format("{}{}{}", nvlinks, words_of(pair.ancestor),
                      pair.peers ? "" : ", through the host's memory")] +=
        fmt::format(" {}-{}", pair.from, pair.to);
  }
  std::string text;
  for (const auto& [way, between] : pairs)
    text += fmt::format("way           {}:{}\n", way, between);
  return text;
}

std::string numa_text(const NodeReport& node) {
  std::vector<NodeRow> rows{{"GB/s", "from node", "to the card", "from it", "both ways"}};
  bool chosen = true;
  for (const NumaCopy& copy : node.numa_copies) {
    rows.push_back({fmt::format("card {}", copy.card), std::to_string(copy.node),
                    gigabytes(copy.upload), gigabytes(copy.download), gigabytes(copy.both_ways)});
    chosen = chosen && copy.memory_chosen;
  }
  if (rows.size() < 2) return "";
  return table_text(rows) +
         (chosen ? "" : "              the system let this process choose CPUs, not memory\n");
}

std::string collectives_text(const NodeReport& node) {
  std::string text;
  if (!node.nccl.empty()) {
    text += fmt::format("NCCL          {}; {} on {}\n", node.nccl, counted(node.ranks, "rank"),
                        counted(node.machines, "machine"));
  }
  for (const probe::CollectiveRate& rate : node.collectives) {
    text += fmt::format("{:<13} bus bandwidth {:.1f} +- {:.1f} GB/s, messages of {}\n",
                        name_of(rate.kind), rate.bus.value / 1e9, rate.bus.noise / 1e9,
                        format_binary(rate.size));
  }
  return text;
}

std::string report_text(const NodeConfirmation& confirmation, const NodeReport& node) {
  std::string text = fmt::format("{}\n", probe::kNotValidated);
  text += fmt::format("driver        {}, CUDA {}.{}, {}; {} of {} visible (database: {})\n",
                      node.driver_version.empty() ? "version unknown" : node.driver_version,
                      node.cuda_version / 1000, node.cuda_version % 1000 / 10, node.driver_library,
                      counted(std::ssize(node.cards), "card"), node.visible_devices,
                      confirmation.gpu_id.empty() ? "not in it" : confirmation.gpu_id);
  text += cards_text(node) + ways_text(node);
  text += links_text(node, &CardPair::one_way, "GB/s from, to");
  text += links_text(node, &CardPair::both_ways, "both ways");
  text += numa_text(node) + collectives_text(node);
  for (const std::string& why : node.not_measured) text += "not measured  " + why + "\n";
  if (!node.disturbed_by.empty()) text += "disturbed     " + node.disturbed_by + "\n";
  if (!node.cut_off.empty()) {
    text += fmt::format("cut off       {}; what follows was not measured\n", node.cut_off);
  }
  if (!confirmation.config.empty()) text += "config        " + confirmation.config + "\n";
  for (const probe::Check& check : confirmation.checks) text += check_line(check);
  for (const std::string& why : confirmation.not_judged) text += "not judged    " + why + "\n";
  for (const std::string& what : confirmation.stands_out) text += "stands out    " + what + "\n";
  return text;
}

}  // namespace

std::string node_text(const NodeConfirmation& confirmation) {
  if (const auto* none = std::get_if<probe::Unavailable>(&confirmation.outcome)) {
    return nothing_confirmed(*none);
  }
  if (const auto* failed = std::get_if<probe::Failed>(&confirmation.outcome)) {
    return nothing_confirmed(*failed);
  }
  return escaped_lines(report_text(confirmation, std::get<NodeReport>(confirmation.outcome)));
}

}  // namespace gpulint
