#include "report/machine.h"

namespace gpulint {

std::string report_jsonl(const LintResult& result) {
  constexpr int kOneLine = -1;
  std::string text;
  for (const Finding& finding : result.findings) {
    text += ascii_json(finding_json(result, finding), kOneLine);
  }
  return text;
}

}  // namespace gpulint
