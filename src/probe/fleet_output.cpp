#include "base/text.h"
#include "probe/fleet.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace gpulint::probe {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string rank_words(const RankReport& report) {
  return report.place.rank ? std::to_string(*report.place.rank) : "-";
}

/// One each for memory, link and products; the JSON has all.
constexpr std::array<RateKind, 4> kColumns{RateKind::copy, RateKind::pinned_upload,
                                           RateKind::library_gemm_bf16, RateKind::gemm_bf16};

/// Columns that at least one card was timed for.
std::vector<RateKind> timed_kinds(const Fleet& fleet) {
  std::vector<RateKind> kinds;
  for (const RateKind kind : kColumns) {
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

std::string rate_cell(const DeviceReport& device, RateKind kind) {
  for (const Rate& rate : device.rates) {
    if (rate.kind == kind) return words_of(kind, rate.value);
  }
  return "-";
}

Row header(const std::vector<RateKind>& kinds) {
  Row row{"node", "rank", "device", "PCI", "memory", "link"};
  for (const RateKind kind : kinds) row.emplace_back(name_of(kind));
  row.emplace_back("contradicted");
  return row;
}

Row row_of(const RankReport& report, const std::vector<RateKind>& kinds) {
  Row row{report.place.node, rank_words(report)};
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
  for (const RateKind kind : kinds) row.push_back(rate_cell(*device, kind));
  row.push_back(report.contradicted.empty() ? "-" : join(report.contradicted, ", "));
  return row;
}

std::string table(std::vector<Row> rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = escape_for_display(row[i]);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text += line + "\n";
  }
  return text;
}

std::string count_words(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

Json report_json(const RankReport& report) {
  // The document that the rank itself wrote, checked and read.
  Json json = Json::parse(write_rank_report(report, ""));
  json.erase("schema");
  json.erase("version");
  json.erase("validated_on_hardware");
  return json;
}

}  // namespace

std::string fleet_text(const Fleet& fleet) {
  const std::vector<RateKind> kinds = timed_kinds(fleet);
  std::vector<Row> rows{header(kinds)};
  for (const RankReport& report : fleet.reports) rows.push_back(row_of(report, kinds));
  std::string text = fmt::format("{}\n", kNotValidated) + table(std::move(rows));
  for (const Outlier& outlier : fleet.outliers) {
    const RankReport& report = fleet.reports[outlier.report];
    text += escape_for_display(fmt::format("outlier: node {}, rank {}: {}", report.place.node,
                                           rank_words(report), outlier.what)) +
            "\n";
  }
  for (const std::string& skipped : fleet.skipped) {
    text += escape_for_display("skipped: " + skipped) + "\n";
  }
  return text + fmt::format("{}, {}, {} skipped\n", count_words(fleet.reports.size(), "report"),
                            count_words(fleet.outliers.size(), "outlier"), fleet.skipped.size());
}

std::string fleet_json(const Fleet& fleet, std::string_view version) {
  Json json = {{"schema", "gpulint.confirm-fleet/1"}, {"version", version},
               {"validated_on_hardware", false},      {"reports", Json::array()},
               {"outliers", Json::array()},           {"skipped", fleet.skipped}};
  for (const RankReport& report : fleet.reports) json["reports"].push_back(report_json(report));
  for (const Outlier& outlier : fleet.outliers) {
    json["outliers"].push_back({{"report", outlier.report}, {"what", outlier.what}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpulint::probe
