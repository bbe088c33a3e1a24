#pragma once

#include "report/report.h"
#include "review/diff.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// `gpulint diff`: for a terminal, for programs, and as the body of one pull-request comment. The
/// comment starts with a marker by which a bot finds the one it wrote before, and stays below the
/// 65,536 characters GitHub takes.
std::string diff_text(const DiffResult& result, const ReportOptions& options);
std::string diff_json(const DiffResult& result);
std::string diff_markdown(const DiffResult& result);

/// One quantity of one config, in words; a side that does not know it says "unknown", one that is
/// not there is empty.
struct DiffRow {
  std::string name;
  std::string before;
  std::string after;
  std::string change;  // "+2.8 GiB (+15 %)", "unchanged"; "" where there is nothing to compare
};
/// Those that at least one side knows.
std::vector<DiffRow> diff_rows(const ConfigDiff& config);

/// "configs/a.yaml (phase x) on a10g", "…, renamed from configs/old.yaml".
std::string diff_title(const ConfigDiff& config);
/// Quantities neither side could know, and the facts that were missing; "" when all are known.
std::string diff_unknown(const ConfigDiff& config);
std::string_view name_of(DiffKind kind);

}  // namespace gpulint
