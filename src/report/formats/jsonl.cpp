#include "report/machine.h"

namespace gpulint {
namespace {

std::string jsonl_report(const FindingsReport& report) {
  constexpr int kOneLine = -1;
  std::string text;
  for (const Finding& finding : report.result.findings) {
    text += ascii_json(finding_json(report.result, finding), kOneLine);
  }
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat jsonl{
    .id = "jsonl",
    .readers = "scripts: the findings of `json`, one per line",
    .file_name = "gpulint.jsonl",
    .syntax = Syntax::json,
    .streams = true,
    .applies_fixes = true,
    .check = jsonl_report,
};

}  // namespace gpulint::formats
