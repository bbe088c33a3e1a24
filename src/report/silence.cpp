#include "base/text.h"
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

bool was_reported(const LintResult& result, const FileReport& file, std::string_view rule) {
  return std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& finding) {
    return finding.rule == rule && std::count(finding.runs.begin(), finding.runs.end(), file.path);
  });
}

std::string reason_of(const PlanReport& plan, std::string_view rule) {
  for (const Silence& silence : plan.silences) {
    if (silence.rule != rule) continue;
    if (silence.missing.empty()) return "all it needs is known, and its condition is false";
    std::string reason = "unknown: " + join(silence.missing, ", ");
    const bool wants_target =
        std::any_of(silence.missing.begin(), silence.missing.end(), [](const std::string& name) {
          return name.starts_with("gpu.") || name.starts_with("host.") || name.starts_with("vram.");
        });
    if (wants_target && plan.gpu == nullptr) reason += "; name a target with --gpu ID or --host ID";
    return reason;
  }
  return "the rule did not run (it is disabled, or a preview)";
}

}  // namespace

std::string silence_text(const LintResult& result, std::string_view rule) {
  std::string text;
  for (const FileReport& file : result.files) {
    if (file.state != FileState::linted) continue;
    for (const PlanReport& plan : file.plans) {
      const std::string phase = plan.phase ? fmt::format(" (phase {})", *plan.phase) : "";
      text += fmt::format(
          "{}{}: {}: {}\n", escape_for_display(file.path), escape_for_display(phase), rule,
          was_reported(result, file, rule) ? "reported above" : reason_of(plan, rule));
    }
  }
  return text;
}

}  // namespace gpulint
