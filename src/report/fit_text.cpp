#include "base/text.h"
#include "report/conditions_text.h"
#include "report/fit_report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gpulint {
namespace {

constexpr std::size_t kColumns = 8;
using FitCells = std::array<std::string, kColumns>;

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? with_thousands(*count) : "?";
}

std::string setting_text(const FitResult& result, std::size_t level) {
  if (level >= result.settings.size()) return "-";
  return result.settings[level].facts.front().second;
}

FitCells cells_of(const FitRow& row) {
  const FitResult& result = row.result;
  const bool some = result.largest_batch && *result.largest_batch > 0;
  return {
      row.gpu->id,
      result.usable ? format_binary(result.usable->low) : "?",
      std::string(name_of(result.verdict.fit)),
      result.largest_batch && !some ? "none" : count_text(result.largest_batch),
      some ? count_text(result.batch_that_pays) : "-",
      some && result.throughput ? fmt::format("{:.3g}/s", result.throughput->central.value) : "-",
      fmt::format("{} / {} / {}", setting_text(result, 0), setting_text(result, 1),
                  setting_text(result, 2)),
      some && result.vram ? format_binary(result.vram->high) : "-"};
}

std::string table(std::span<const FitRow> rows) {
  std::vector<FitCells> lines{{"gpu", "usable", "as it is", "largest batch", "pays up to",
                               "samples there", "conservative / balanced / aggressive",
                               "peak at most"}};
  for (const FitRow& row : rows) lines.push_back(cells_of(row));
  std::array<int, kColumns> widths{};
  for (const FitCells& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  std::string text;
  for (const FitCells& line : lines) {
    std::string out = " ";
    for (std::size_t i = 0; i < kColumns; ++i) {
      out += " " + (i == 0 ? pad_right(line[i], widths[i]) : pad_left(line[i], widths[i])) + " ";
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  return text;
}

std::string changes_text(const FactChanges& facts) {
  std::vector<std::string> words;
  for (const auto& [fact, value] : facts) words.push_back(fmt::format("{}: {}", fact, value));
  return join(words, ", ");
}

std::string ladder_text(std::string_view title, const std::vector<LadderStep>& ladder,
                        bool device) {
  if (ladder.empty()) return "";
  std::string text = fmt::format("  {}\n", title);
  for (const LadderStep& step : ladder) {
    const std::optional<Bytes>& left = device ? step.vram_central : step.ram_central;
    text += "    " + changes_text(step.change);
    if (left) text += fmt::format(" -> {}", device ? format_binary(*left) : format_decimal(*left));
    if (step.time_factor) text += fmt::format(", x{:.2f} time per sample", *step.time_factor);
    if (step.fit != Fit::unknown) text += fmt::format(", {}", name_of(step.fit));
    text += "\n";
  }
  return text;
}

std::string details(const FitRow& row) {
  const FitResult& result = row.result;
  std::string text;
  if (result.devices) text += "  " + devices_text(*result.devices) + "\n";
  if (result.longest_sequence) {
    text += fmt::format("  longest sequence at the stated batch: {} tokens\n",
                        with_thousands(*result.longest_sequence));
  }
  for (const FitSetting& setting : result.settings) {
    text += fmt::format("  {}: {}\n", setting.name, changes_text(setting.facts));
  }
  text += ladder_text("when GPU memory is short, cheapest first, one on top of the other",
                      result.vram_ladder, true);
  text += ladder_text("when host memory is short", result.ram_ladder, false);
  text += ladder_text("when the GPU waits for data", result.loading_ladder, false);
  if (text.empty()) return "";
  return fmt::format("\n{}\n{}", row.gpu->id, text);
}

}  // namespace

std::string fit_text(std::string_view path, std::span<const FitRow> rows,
                     const ReportOptions& options) {
  std::string text = paint(escape_for_display(path), Role::strong, options.color) +
                     ": per-device batches that are sure to fit (high end within usable memory)\n";
  text += table(rows);
  std::set<std::string> unknown;
  for (const FitRow& row : rows) {
    if (!row.gpu->measured_on.empty()) {
      text +=
          fmt::format("  {}: hardware figures measured {}\n", row.gpu->id, row.gpu->measured_on);
    }
  }
  for (const FitRow& row : rows) {
    text += details(row);
    unknown.insert(row.result.unknown.begin(), row.result.unknown.end());
  }
  if (!unknown.empty()) {
    text +=
        "  unknown: " + join(std::vector<std::string>(unknown.begin(), unknown.end()), ", ") + "\n";
  }
  return text;
}

}  // namespace gpulint
