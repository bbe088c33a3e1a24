#include "base/text.h"
#include "report/confirm_report.h"
#include "report/json_text.h"
#include "report/report.h"
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using probe::DeviceReport;
using probe::Fleet;
using probe::Outlier;
using probe::RankReport;
using probe::Rate;
using probe::RateKind;
using RankRow = std::vector<std::string>;

std::string rank_words(const RankReport& report) {
  return report.place.rank ? std::to_string(*report.place.rank) : "-";
}

/// One each for memory, link and products; the JSON has all.
constexpr std::array<RateKind, 4> kRankColumns{RateKind::copy, RateKind::pinned_upload,
                                               RateKind::library_gemm_bf16, RateKind::gemm_bf16};

/// Columns that at least one card was timed for.
std::vector<RateKind> timed_kinds(const Fleet& fleet) {
  std::vector<RateKind> kinds;
  for (const RateKind kind : kRankColumns) {
    const auto timed = [kind](const RankReport& report) {
      const auto* device = std::get_if<DeviceReport>(&report.outcome);
      return device != nullptr &&
             std::any_of(device->rates.begin(), device->rates.end(),
                         [kind](const Rate& rate) { return rate.kind == kind; });
    };
    if (std::any_of(fleet.reports.begin(), fleet.reports.end(), timed)) kinds.push_back(kind);
  }
  return kinds;
}

std::string rank_rate(const DeviceReport& device, RateKind kind) {
  for (const Rate& rate : device.rates) {
    if (rate.kind == kind) return words_of(kind, rate.value);
  }
  return "-";
}

RankRow rank_header(const std::vector<RateKind>& kinds) {
  RankRow row{"node", "rank", "device", "PCI", "memory", "link"};
  for (const RateKind kind : kinds) row.emplace_back(name_of(kind));
  row.emplace_back("contradicted");
  return row;
}

RankRow rank_row(const RankReport& report, const std::vector<RateKind>& kinds) {
  RankRow row{report.place.node, rank_words(report)};
  const auto* device = std::get_if<DeviceReport>(&report.outcome);
  if (device == nullptr) {
    row.insert(row.end(), kinds.size() + 5, "-");
    return row;
  }
  const Bytes memory = device->nvml_total.value_or(device->cuda_total);
  row.push_back(device->name);
  row.push_back(device->pci_bus_id);
  row.push_back(fmt::format("{} MiB", memory.count() >> 20));
  row.push_back(device->pcie ? fmt::format("x{}", device->pcie->width) : "-");
  for (const RateKind kind : kinds) row.push_back(rank_rate(*device, kind));
  row.push_back(report.contradicted.empty() ? "-" : join(report.contradicted, ", "));
  return row;
}

Json rank_json(const RankReport& report) {
  // The document that the rank itself wrote, checked and read.
  Json json = Json::parse(probe::write_rank_report(report, ""));
  json.erase("schema");
  json.erase("version");
  json.erase("validated_on_hardware");
  return json;
}

}  // namespace

std::string merged_text(const Fleet& fleet) {
  const std::vector<RateKind> kinds = timed_kinds(fleet);
  std::vector<RankRow> rows{rank_header(kinds)};
  for (const RankReport& report : fleet.reports) {
    rows.push_back(rank_row(report, kinds));
    for (std::string& cell : rows.back()) cell = escape_for_display(cell);
  }
  std::string text = fmt::format("{}\n", probe::kNotValidated) + table_text(rows);
  for (const Outlier& outlier : fleet.outliers) {
    const RankReport& report = fleet.reports[outlier.report];
    text += escape_for_display(fmt::format("outlier: node {}, rank {}: {}", report.place.node,
                                           rank_words(report), outlier.what)) +
            "\n";
  }
  for (const std::string& skipped : fleet.skipped) {
    text += escape_for_display("skipped: " + skipped) + "\n";
  }
  return text + fmt::format("{}, {}, {} skipped\n", counted(std::ssize(fleet.reports), "report"),
                            counted(std::ssize(fleet.outliers), "outlier"), fleet.skipped.size());
}

std::string merged_json(const Fleet& fleet) {
  Json json = {{"schema", "gpulint.confirm-fleet/1"}, {"version", kVersion},
               {"validated_on_hardware", false},      {"reports", Json::array()},
               {"outliers", Json::array()},           {"skipped", fleet.skipped}};
  for (const RankReport& report : fleet.reports) json["reports"].push_back(rank_json(report));
  for (const Outlier& outlier : fleet.outliers) {
    json["outliers"].push_back({{"report", outlier.report}, {"what", outlier.what}});
  }
  return json_text(json);
}

}  // namespace gpulint
