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

bool is_of_memory(std::string_view name) { return name.starts_with("vram."); }
bool is_of_hardware(std::string_view name) {
  return name.starts_with("gpu.") || name.starts_with("host.") || is_of_memory(name);
}

/// What somebody can do about each: facts to state, and the hardware behind the rest.
std::string unknown_of(const Silence& silence) {
  const bool has_facts = !silence.facts.empty();
  std::vector<std::string> names = silence.facts;
  for (const std::string& name : silence.missing) {
    const bool is_settled = has_facts && (is_of_memory(name) || !is_of_hardware(name));
    if (!is_settled) names.push_back(name);
  }
  std::string text = "unknown: " + join(names, ", ");
  if (has_facts) {
    text += fmt::format("; state {} with --set {}=VALUE, or under facts in .gpulint.yaml",
                        silence.facts.size() == 1 ? "it" : "them", silence.facts.front());
  }
  return text;
}

std::string reason_of(const PlanReport& plan, std::string_view rule) {
  for (const Silence& silence : plan.silences) {
    if (silence.rule != rule) continue;
    if (silence.missing.empty()) {
      if (silence.unstated.empty()) return "all it needs is known, and its condition is false";
      return "its condition is false: " + join(silence.unstated, ", ") +
             (silence.unstated.size() == 1 ? " is" : " are") + " not stated";
    }
    std::string reason = unknown_of(silence);
    const bool wants_target =
        std::any_of(silence.missing.begin(), silence.missing.end(), is_of_hardware);
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
