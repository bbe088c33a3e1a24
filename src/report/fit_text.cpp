#include "base/text.h"
#include "report/conditions_text.h"
#include "report/fit_report.h"
#include "report/style.h"
#include "report/table.h"
#include "report/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kColumns = 8;
/// More GPUs than this are grouped by their size.
constexpr std::size_t kMostInFull = 8;
constexpr int kVerdictWidth = 12;  // "does not fit"
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
      some && result.throughput ? significant(result.throughput->central.value, 3) + "/s" : "-",
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

/// GPUs of one size whose verdict on the run as it is agrees.
struct FitGroup {
  double gib = 0;  // nominal
  Fit fit = Fit::unknown;
  std::vector<const FitRow*> rows;
};

/// "22.1 GiB usable" is what a card of 24 GiB offers.
double nominal_gib(const FitRow& row) {
  const std::optional<Bytes>& total = row.gpu->memory_total;
  const Bytes bytes = total ? *total : row.result.usable ? row.result.usable->high : Bytes{};
  return std::round(bytes.as_double() / static_cast<double>(std::int64_t{1} << 30));
}

std::vector<FitGroup> groups_of(std::span<const FitRow> rows) {
  std::vector<FitGroup> groups;
  for (const FitRow& row : rows) {
    const double gib = nominal_gib(row);
    const Fit fit = row.result.verdict.fit;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const FitGroup& group) {
      return group.gib == gib && group.fit == fit;
    });
    FitGroup& group = same == groups.end() ? groups.emplace_back(FitGroup{gib, fit, {}}) : *same;
    group.rows.push_back(&row);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FitGroup& a, const FitGroup& b) { return a.gib < b.gib; });
  return groups;
}

/// "146" or "146 to 158": over the rows that know it.
template <class Number, class Print>
std::string span_text(const FitGroup& group, const Number& number, const Print& print) {
  std::optional<double> low;
  std::optional<double> high;
  for (const FitRow* row : group.rows) {
    const std::optional<double> value = number(row->result);
    if (!value) continue;
    low = low ? std::min(*low, *value) : *value;
    high = high ? std::max(*high, *value) : *value;
  }
  if (!low) return "?";
  const std::string from = print(*low);
  const std::string to = print(*high);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

std::string batch_span(const FitGroup& group) {
  return span_text(
      group,
      [](const FitResult& result) -> std::optional<double> {
        if (!result.largest_batch) return std::nullopt;
        return static_cast<double>(*result.largest_batch);
      },
      [](double batch) {
        return batch == 0 ? std::string("none") : with_thousands(static_cast<std::int64_t>(batch));
      });
}

std::string rate_span(const FitGroup& group) {
  return span_text(
      group,
      [](const FitResult& result) -> std::optional<double> {
        if (!result.throughput || result.largest_batch.value_or(0) == 0) return std::nullopt;
        return result.throughput->central.value;
      },
      [](double rate) { return significant(rate, 3) + "/s"; });
}

/// All GPUs on a page: sizes first, because a size is what decides.
std::string grouped(std::span<const FitRow> rows, const ReportOptions& options) {
  std::vector<std::vector<std::string>> lines{
      {"memory", "as it is", "largest batch", "samples there", "GPUs"}};
  for (const FitGroup& group : groups_of(rows)) {
    std::vector<std::string> ids;
    for (const FitRow* row : group.rows) ids.push_back(row->gpu->id);
    lines.push_back(
        {fmt::format("{:.0f} GiB", group.gib),
         paint(pad_right(name_of(group.fit), kVerdictWidth), role_of(group.fit), options.color),
         batch_span(group), rate_span(group), join(ids, ", ")});
  }
  lines.front()[1] = pad_right(lines.front()[1], kVerdictWidth);
  // Wrapped here, so that the column of GPUs is one wherever it is shown.
  return wrap_lines(table_text(lines), options.width) +
         "--gpu ID shows what to set on one of them; --verbose a line for each\n";
}

}  // namespace

std::string fit_text(std::string_view path, std::span<const FitRow> rows,
                     const ReportOptions& options) {
  std::string text = paint(escape_for_display(path), Role::strong, options.color) +
                     ": per-device batches that are sure to fit (high end within usable memory)\n";
  const bool is_long = rows.size() > kMostInFull && !options.verbose;
  text += is_long ? grouped(rows, options) : table(rows);
  std::set<std::string> unknown;
  for (const FitRow& row : rows) {
    if (!row.gpu->measured_on.empty()) {
      text +=
          fmt::format("  {}: hardware figures measured {}\n", row.gpu->id, row.gpu->measured_on);
    }
  }
  for (const FitRow& row : rows) {
    if (!is_long) text += details(row);
    unknown.insert(row.result.unknown.begin(), row.result.unknown.end());
  }
  if (!unknown.empty()) {
    text +=
        "  unknown: " + join(std::vector<std::string>(unknown.begin(), unknown.end()), ", ") + "\n";
  }
  return text;
}

}  // namespace gpulint
