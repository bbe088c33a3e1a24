#include "report/what_if_text.h"

#include "base/text.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

using Line = std::vector<std::string>;

std::string supposed_text(const std::optional<WhatIf::Cell>& cell) {
  if (!cell) return "?";
  const Interval& needed = cell->vram.needed;
  std::string text = cell->vram.lower_bound_only ? "from " + format_binary(needed.low)
                                                 : format_binary(needed.central);
  // Without a target there is no verdict.
  if (cell->verdict.deciding != Deciding::nothing) {
    text.append(" ").append(name_of(cell->verdict.fit));
  }
  return text;
}

std::vector<Line> lines_of(const WhatIf& table) {
  std::vector<Line> lines(1, Line{table.rows.fact});
  for (const std::string& column : table.columns.values) {
    lines.front().push_back(
        table.columns.fact.empty() ? "VRAM" : fmt::format("{} {}", table.columns.fact, column));
  }
  for (std::size_t row = 0; row < table.rows.values.size(); ++row) {
    lines.push_back({table.rows.values[row]});
    for (std::size_t column = 0; column < table.columns.values.size(); ++column) {
      lines.back().push_back(supposed_text(table.cell(row, column)));
    }
  }
  return lines;
}

}  // namespace

std::string what_if_text(const WhatIf& table) {
  const std::vector<Line> lines = lines_of(table);
  std::vector<int> widths(lines.front().size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  std::string text =
      fmt::format("  what the open facts decide (VRAM per device{}):\n",
                  table.sharded ? "; several devices as if they split all states" : "");
  for (const Line& line : lines) {
    text += "   ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (widths[i] > 0) text += " " + pad_left(line[i], widths[i]) + " ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

}  // namespace gpulint
