#include "host/figure.h"

#include "host/host_report.h"
#include "host/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint::probe {
namespace {

struct FigureRow {
  std::string_view name;
  std::string_view unit;
  std::string_view counted;  // of "1/s"
};

/// In the order of FigureKind.
constexpr std::array<FigureRow, kFigureKinds> kFigureRows{{
    {"memory_read", "B/s", ""},
    {"memory_write", "B/s", ""},
    {"memory_copy", "B/s", ""},
    {"page_lock", "B/s", ""},
    {"pinned_allocation", "B/s", ""},
    {"disk_cold", "B/s", ""},
    {"disk_warm", "B/s", ""},
    {"small_files_cold", "1/s", "files"},
    {"small_files_warm", "1/s", "files"},
    {"jpeg_decode", "1/s", "images"},
    {"png_decode", "1/s", "images"},
    {"augment", "1/s", "images"},
    {"image_pipeline", "1/s", "images"},
    {"byte_pairs", "B/s", ""},
    {"python_start", "s", ""},
    {"torch_import", "s", ""},
    {"python_fork", "s", ""},
}};

const FigureRow& figure_row(FigureKind kind) { return kFigureRows[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view name_of(FigureKind kind) { return figure_row(kind).name; }
std::string_view unit_of(FigureKind kind) { return figure_row(kind).unit; }

std::optional<FigureKind> figure_kind(std::string_view name) {
  for (std::size_t i = 0; i < kFigureRows.size(); ++i) {
    if (kFigureRows[i].name == name) return static_cast<FigureKind>(i);
  }
  return std::nullopt;
}

std::string words_of(FigureKind kind, double value) {
  const FigureRow& row = figure_row(kind);
  if (row.unit == "s") return fmt::format("{:.1f} ms", value * 1e3);
  if (row.unit == "1/s") return fmt::format("{:.0f} {}/s", value, row.counted);
  if (value < 1e9) return fmt::format("{:.1f} MB/s", value / 1e6);
  return fmt::format("{:.1f} GB/s", value / 1e9);
}

Figure figure_of(FigureKind kind, const std::vector<double>& samples, int workers,
                 std::string source) {
  const Summary summary = summarize(samples);
  return {.kind = kind,
          .value = summary.median,
          .noise = summary.noise,
          .samples = static_cast<int>(samples.size()),
          .workers = workers,
          .source = std::move(source),
          .own_data = false};
}

const Figure* find_figure(const HostReport& report, FigureKind kind, int workers) {
  const auto found =
      std::find_if(report.figures.begin(), report.figures.end(), [&](const Figure& figure) {
        return figure.kind == kind && (workers == 0 || figure.workers == workers);
      });
  return found == report.figures.end() ? nullptr : &*found;
}

}  // namespace gpulint::probe
