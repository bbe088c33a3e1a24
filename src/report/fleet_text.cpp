// Several GPUs side by side, above the details of each.

#include "base/text.h"
#include "report/report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using FleetCells = std::array<std::string, 6>;

FleetCells cells_of(const PlanReport& plan) {
  const Estimate& estimate = plan.estimate;
  const bool sized = estimate.vram && !estimate.vram->lower_bound_only;
  return {plan.gpu != nullptr ? plan.gpu->id : "?",
          std::string(name_of(estimate.vram_verdict.fit)),
          sized ? format_binary(estimate.vram->needed.central) : "-",
          estimate.usable_vram ? format_binary(estimate.usable_vram->low) : "-",
          estimate.throughput ? significant(estimate.throughput->central.value, 4) + "/s" : "-",
          estimate.cost ? fmt::format("${:.2f}", estimate.cost->central.dollars) : "-"};
}

}  // namespace

std::string fleet_text(std::span<const FileReport> files) {
  std::vector<FleetCells> lines{{"gpu", "verdict", "needed", "usable", "samples", "cost"}};
  for (const FileReport& file : files) {
    for (const PlanReport& plan : file.plans) lines.push_back(cells_of(plan));
  }
  std::array<int, 6> widths{};
  for (const FleetCells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  std::string text;
  for (const FleetCells& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += (i < 2 ? pad_right(line[i], widths[i]) : pad_left(line[i], widths[i])) + "  ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

}  // namespace gpulint
