#include "report/summary.h"

#include "base/text.h"
#include "report/place.h"
#include "report/report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpulint {

Summary summarize(const LintResult& result) {
  Summary summary;
  for (const Finding& finding : result.findings) {
    switch (finding.severity) {
      case Severity::note:
        ++summary.notes;
        break;
      case Severity::warning:
        ++summary.warnings;
        break;
      case Severity::error:
        ++summary.errors;
        break;
    }
  }
  for (const FileReport& file : result.files) {
    switch (file.state) {
      case FileState::linted:
        ++summary.files;
        break;
      case FileState::skipped:
        ++summary.skipped;
        break;
      case FileState::unreadable:
        ++summary.unreadable;
        break;
    }
    const bool blind = std::any_of(file.plans.begin(), file.plans.end(), [](const PlanReport& p) {
      return p.gpu == nullptr && p.host == nullptr;
    });
    if (blind) ++summary.without_target;
  }
  return summary;
}

namespace {

/// The fact that stands in for a network nobody described.
constexpr std::string_view kOfUnknownNetwork = "activation_bytes_per_sample";

}  // namespace

VramCoverage vram_coverage(const LintResult& result) {
  VramCoverage coverage;
  std::map<std::string, std::int64_t> open;
  for (const FileReport& file : result.files) {
    for (const PlanReport& plan : file.plans) {
      if (!plan.estimated || plan.gpu == nullptr) continue;
      ++coverage.runs;
      if (knows_vram(plan.estimate)) {
        ++coverage.estimated;
        continue;
      }
      if (counts_network(plan.estimate)) ++coverage.lower_bounds;
      for (const std::string& fact : plan.estimate.unknown_for_vram) ++open[fact];
      coverage.facts = plan.estimate.unknown_for_vram;
    }
  }
  for (const auto& [fact, count] : open) {
    if (count < 2 || count <= coverage.open) continue;
    coverage.fact = fact;
    coverage.open = count;
  }
  return coverage;
}

namespace {

std::string text_of_one(const VramCoverage& coverage) {
  if (coverage.runs != 1 || coverage.facts.empty()) return {};
  if (contains(coverage.facts, kOfUnknownNetwork))
    return "VRAM: the network is not known; gpulint-record describes it (docs/models.md)";
  return fmt::format(
      "VRAM depends on {}; state {} with `--set NAME=VALUE` or under `facts` in .gpulint.yaml",
      join(coverage.facts, ", "), coverage.facts.size() == 1 ? "it" : "them");
}

}  // namespace

std::string coverage_text(const VramCoverage& coverage) {
  if (coverage.runs < 2) return text_of_one(coverage);
  std::string text =
      fmt::format("VRAM: {} estimated, {}, {} unknown (of {} runs)", coverage.estimated,
                  counted(coverage.lower_bounds, "lower bound"), coverage.unknown(), coverage.runs);
  if (coverage.fact == kOfUnknownNetwork) {
    text += fmt::format("; {} train a network that gpulint does not know (gpulint-record does)",
                        coverage.open);
  } else if (!coverage.fact.empty()) {
    text += fmt::format("; {} leave {} open, which `facts` in .gpulint.yaml can state",
                        coverage.open, coverage.fact);
  }
  return text;
}

std::string first_line(const LintResult& result, const Finding& finding, bool color) {
  const Place place = place_of(result, finding.span);
  const std::string where = fmt::format("{}:{}:{}:", escape_for_display(place.path),
                                        place.begin.line, place.begin.column);
  const std::string verdict = fmt::format("{}[{}]", name_of(finding.severity), finding.rule);
  std::string line = fmt::format("{} {} {}", paint(where, Role::strong, color),
                                 paint(verdict, role_of(finding.severity), color),
                                 escape_for_display(finding.message));
  if (finding.phase) line += fmt::format(" (phase {})", escape_for_display(*finding.phase));
  return line;
}

std::string finding_lines(const LintResult& result, bool color) {
  std::string text;
  for (const Finding& finding : result.findings) text += first_line(result, finding, color) + "\n";
  return text;
}

}  // namespace gpulint
