// Many cards against each other. No database is asked: in a job all cards of one name should do the
// same, and a card that does not slows every other one down at the next collective. A card is held
// against the median of the others, itself left out, so that with two cards the slower one is named
// and with many a few bad ones do not move the yardstick.

#include "probe/fleet.h"

#include "base/text.h"
#include "host/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace gpulint::probe {
namespace {

/// Our choice: above the few per cent by which cards of one model differ (silicon, cooling).
constexpr double kSlower = 0.15;
/// Drivers report whole MiB.
constexpr Bytes kMemoryTolerance = Bytes::mib(1);
constexpr std::size_t kMostReportBytes = std::size_t{1} << 20;
constexpr std::size_t kMostReports = 65'536;

const DeviceReport* device_of(const RankReport& report) {
  return std::get_if<DeviceReport>(&report.outcome);
}

Bytes memory_of(const DeviceReport& device) {
  return device.nvml_total.value_or(device.cuda_total);
}

const Rate* rate_of(const DeviceReport& device, RateKind kind) {
  const auto found = std::find_if(device.rates.begin(), device.rates.end(),
                                  [kind](const Rate& rate) { return rate.kind == kind; });
  return found == device.rates.end() ? nullptr : &*found;
}

/// Whether a rate is the card's and its link's own. What waits for the host's memory and processor
/// differs from node to node with all that runs there.
bool is_of_card(RateKind kind) {
  return kind != RateKind::pageable_upload && kind != RateKind::cold_upload &&
         kind != RateKind::launch;
}

/// The cards one card is held against.
using Siblings = std::span<const DeviceReport* const>;

void compare_rates(const DeviceReport& device, Siblings siblings, std::vector<std::string>& found) {
  for (const Rate& rate : device.rates) {
    if (!is_of_card(rate.kind)) continue;
    std::vector<double> others;
    for (const DeviceReport* sibling : siblings) {
      if (const Rate* other = rate_of(*sibling, rate.kind)) others.push_back(other->value);
    }
    if (others.empty()) continue;
    const double usual = median_of(std::move(others));
    if (rate.noise > kSlower / 2 * usual || rate.value >= (1 - kSlower) * usual) continue;
    found.push_back(fmt::format("{} {}, {:.0f} % below its siblings' {}", name_of(rate.kind),
                                words_of(rate.kind, rate.value), 100 * (1 - rate.value / usual),
                                words_of(rate.kind, usual)));
  }
}

void compare_link(const DeviceReport& device, Siblings siblings, std::vector<std::string>& found) {
  if (!device.pcie) return;
  int widest = 0;
  for (const DeviceReport* sibling : siblings) {
    if (sibling->pcie) widest = std::max(widest, sibling->pcie->width);
  }
  if (device.pcie->width < widest) {
    found.push_back(
        fmt::format("PCIe link x{}, its siblings have x{}", device.pcie->width, widest));
  }
}

void compare_memory(const DeviceReport& device, Siblings siblings,
                    std::vector<std::string>& found) {
  Bytes largest;
  for (const DeviceReport* sibling : siblings) {
    // Totals of NVML and of CUDA are different things.
    if (sibling->nvml_total.has_value() == device.nvml_total.has_value()) {
      largest = std::max(largest, memory_of(*sibling));
    }
  }
  if (memory_of(device) + kMemoryTolerance < largest) {
    found.push_back(fmt::format("memory {} MiB, its siblings have {} MiB",
                                memory_of(device).count() >> 20, largest.count() >> 20));
  }
}

std::vector<const DeviceReport*> siblings_of(std::span<const RankReport> reports,
                                             std::size_t index) {
  const DeviceReport& device = *device_of(reports[index]);
  std::vector<const DeviceReport*> siblings;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const DeviceReport* other = device_of(reports[i]);
    if (i != index && other != nullptr && other->name == device.name) siblings.push_back(other);
  }
  return siblings;
}

std::string why_not_measured(const RankReport& report) {
  if (const auto* none = std::get_if<Unavailable>(&report.outcome)) {
    return fmt::format("not measured: {}: {}", name_of(none->reason), none->detail);
  }
  return "not measured: " + std::get<Failed>(report.outcome).message;
}

auto place_of(const RankReport& report) {
  const DeviceReport* device = device_of(report);
  return std::tuple(report.place.node, report.place.rank.value_or(-1),
                    device == nullptr ? std::string() : device->pci_bus_id);
}

}  // namespace

std::vector<std::string> differences(const DeviceReport& device, Siblings siblings) {
  std::vector<std::string> found;
  compare_rates(device, siblings, found);
  compare_link(device, siblings, found);
  compare_memory(device, siblings, found);
  return found;
}

std::vector<Outlier> find_outliers(std::span<const RankReport> reports) {
  std::vector<Outlier> outliers;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::vector<std::string> found;
    if (const DeviceReport* device = device_of(reports[i])) {
      found = differences(*device, siblings_of(reports, i));
    } else {
      found.push_back(why_not_measured(reports[i]));
    }
    for (std::string& what : found) outliers.push_back({i, std::move(what)});
  }
  return outliers;
}

Result<Fleet> merge_reports(const FileReader& reader, const std::string& folder) {
  const auto entries = reader.list(folder);
  if (!entries) return fail(entries.error());
  Fleet fleet;
  for (const DirectoryEntry& entry : *entries) {
    if (extension(entry.name) != "json") continue;
    if (fleet.reports.size() == kMostReports) {
      fleet.skipped.push_back(
          fmt::format("{} and what follows: more than {} reports", entry.name, kMostReports));
      break;
    }
    const auto text = reader.read(join_path(folder, entry.name), kMostReportBytes);
    if (!text) {
      fleet.skipped.push_back(fmt::format("{}: {}", entry.name, text.error().message));
      continue;
    }
    auto report = read_rank_report(*text);
    if (report) {
      fleet.reports.push_back(std::move(*report));
    } else {
      fleet.skipped.push_back(fmt::format("{}: {}", entry.name, report.error().message));
    }
  }
  if (fleet.reports.empty()) {
    std::string message = fmt::format(
        "--merge: {} holds no readable report; write them with gpulint confirm --report {}", folder,
        folder);
    for (const std::string& skipped : fleet.skipped) message += "\n" + skipped;
    return fail(std::move(message));
  }
  std::stable_sort(
      fleet.reports.begin(), fleet.reports.end(),
      [](const RankReport& a, const RankReport& b) { return place_of(a) < place_of(b); });
  fleet.outliers = find_outliers(fleet.reports);
  return fleet;
}

int exit_code_of(const Fleet& fleet) { return fleet.outliers.empty() ? 0 : 1; }

}  // namespace gpulint::probe
