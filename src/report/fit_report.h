#pragma once

#include "report/report.h"
#include "search/fit.h"

#include <span>
#include <string>
#include <string_view>

namespace gpulint {

struct FitRow {
  const Gpu* gpu = nullptr;
  FitResult result;
};

/// What fits on each GPU, as a table, and for a single one settings and ladders as well.
std::string fit_text(std::string_view path, std::span<const FitRow> rows,
                     const ReportOptions& options);
/// The `gpulint fit --output json` object of docs/fit.md.
std::string fit_json(std::string_view path, std::span<const FitRow> rows);

}  // namespace gpulint
