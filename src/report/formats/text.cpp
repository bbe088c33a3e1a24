#include "base/text.h"

#include "report/budget_bar.h"
#include "report/confirm_report.h"
#include "report/diff_report.h"
#include "report/excerpt.h"
#include "report/fit_report.h"
#include "report/format.h"
#include "report/host_report.h"
#include "report/node_report.h"
#include "report/place.h"
#include "report/repeats.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace gpulint {
namespace {

/// More runs than this are counted, not named.
constexpr std::size_t kMaxRunsNamed = 3;
/// Lines behind a verdict; the others are a flag away.
constexpr std::size_t kMaxEvidence = 2;

class TextReport {
 public:
  explicit TextReport(const FindingsReport& report)
      : result_(report.result), options_(report.options), repeats_(result_, report.catalog) {}

  std::string write() {
    auto finding = result_.findings.begin();
    for (std::size_t file = 0; file < result_.files.size(); ++file) {
      for (; finding != result_.findings.end() && finding->span.file == file; ++finding) {
        write_finding(*finding);
      }
      if (!options_.quiet && !options_.statistics) write_budgets(result_.files[file]);
    }
    // What points outside the linted files (a base file that was included).
    for (; finding != result_.findings.end(); ++finding) write_finding(*finding);
    if (options_.statistics) write_statistics();
    if (options_.verbose) write_skipped();
    if (!options_.quiet) write_summary();
    return std::move(text_);
  }

 private:
  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  void write_finding(const Finding& finding) {
    if (options_.statistics || repeats_.is_repeat(finding)) return;
    line(first_line(result_, finding, options_.color));
    const std::string margin = write_excerpt(finding);
    const std::string mark = margin + paint("= ", Role::gutter, options_.color);
    for (const std::string& step : shown(evidence_of(finding))) line(mark + step);
    if (finding.runs.size() > 1) line(mark + runs_line(finding));
    if (const auto& others = repeats_.of(finding); !others.empty()) {
      line(mark + repeats_line(others));
    }
    if (finding.fix) line(mark + fix_line(*finding.fix));
    line("");
  }

  /// What the verdict rests on, the most telling first.
  std::vector<std::string> evidence_of(const Finding& finding) const {
    std::vector<std::string> lines;
    for (const std::string& step : finding.arithmetic) lines.push_back(escape_for_display(step));
    for (const RelatedPlace& place : finding.related) lines.push_back(related_line(place));
    const bool is_usual = finding.hardware == kDatabaseFigures;
    if (!finding.hardware.empty() && (options_.verbose || !is_usual))
      lines.push_back("hardware figures: " + finding.hardware);
    return lines;
  }

  std::vector<std::string> shown(std::vector<std::string> evidence) {
    if (options_.verbose || evidence.size() <= kMaxEvidence) return evidence;
    evidence.resize(kMaxEvidence);
    shortened_ = true;
    return evidence;
  }

  /// Returns the margin under which everything else about the finding stands.
  std::string write_excerpt(const Finding& finding) {
    const SourceText* source = source_of(result_, finding.span);
    const bool is_of_whole_file = finding.span.begin == 0 && finding.span.end == 0;
    if (source == nullptr || is_of_whole_file) return "  ";
    const std::string number =
        std::to_string(source->lines.at(source->text, finding.span.begin).line);
    const std::string margin(number.size() + 2, ' ');
    const int room = options_.width - static_cast<int>(margin.size()) - 2;
    const Excerpt excerpt = excerpt_of(*source, finding.span, room);
    const std::string bar = paint("|", Role::gutter, options_.color);
    line(fmt::format(" {} {} {}", paint(number, Role::gutter, options_.color), bar, excerpt.text));
    line(fmt::format("{}{} {}", margin, bar, paint_underline(excerpt.underline, finding.severity)));
    return margin;
  }

  std::string paint_underline(const std::string& underline, Severity severity) const {
    const std::size_t blanks = std::min(underline.find('^'), underline.size());
    return underline.substr(0, blanks) +
           paint(underline.substr(blanks), role_of(severity), options_.color);
  }

  std::string related_line(const RelatedPlace& related) const {
    const Place place = place_of(result_, related.span);
    if (place.path.empty()) return escape_for_display(related.message);
    return fmt::format("see {}:{}:{}: {}", escape_for_display(place.path), place.begin.line,
                       place.begin.column, escape_for_display(related.message));
  }

  std::string runs_line(const Finding& finding) const {
    std::string text = "in the runs ";
    for (std::size_t i = 0; i < std::min(kMaxRunsNamed, finding.runs.size()); ++i) {
      if (i != 0) text += ", ";
      text += escape_for_display(finding.runs[i]);
    }
    if (finding.runs.size() > kMaxRunsNamed) {
      text += fmt::format(" and {} more", finding.runs.size() - kMaxRunsNamed);
    }
    return text;
  }

  std::string repeats_line(const std::vector<const Finding*>& others) const {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < std::min(kMaxRunsNamed, others.size()); ++i) {
      const Place place = place_of(result_, others[i]->span);
      places.push_back(fmt::format("{}:{}", escape_for_display(place.path), place.begin.line));
    }
    const std::size_t more = others.size() - places.size();
    return fmt::format("the same at {}{}", join(places, ", "),
                       more == 0 ? "" : fmt::format(" and {} more places (--output json)", more));
  }

  std::string fix_line(const Fix& fix) const {
    std::string_view label = "fix";
    switch (fix.kind) {
      case FixKind::safe:
        label = "fix (safe)";
        break;
      case FixKind::unsafe:
        label = "fix (check it)";
        break;
      case FixKind::display:
        break;
    }
    return fmt::format("{}: {}", paint(label, Role::fix, options_.color),
                       escape_for_display(fix.advice));
  }

  void write_budgets(const FileReport& file) {
    bool written = false;
    for (const PlanReport& plan : file.plans) {
      const std::string budget = budget_line(plan, options_.color);
      if (budget.empty()) continue;
      const std::string phase =
          plan.phase ? fmt::format(" ({})", escape_for_display(*plan.phase)) : "";
      line(fmt::format("{}{}: {}",
                       paint(escape_for_display(file.path), Role::strong, options_.color), phase,
                       budget));
      written = true;
    }
    if (written) line("");
  }

  void write_skipped() {
    bool written = false;
    for (const FileReport& file : result_.files) {
      if (file.state == FileState::linted) continue;
      line(fmt::format("{}: {}: {}", escape_for_display(file.path),
                       file.state == FileState::skipped ? "skipped" : "unreadable",
                       escape_for_display(file.reason)));
      written = true;
    }
    if (written) line("");
  }

  /// The rules with the most findings first.
  void write_statistics() {
    std::map<std::string_view, std::pair<std::size_t, Severity>> counts;
    for (const Finding& finding : result_.findings) {
      auto& [count, severity] = counts.try_emplace(finding.rule, 0, finding.severity).first->second;
      ++count;
      severity = std::max(severity, finding.severity);
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& [rule, counted] : counts) {
      rows.push_back(
          {std::to_string(counted.first), std::string(name_of(counted.second)), std::string(rule)});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a[0].size() != b[0].size() ? a[0].size() > b[0].size() : a[0] > b[0];
    });
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row[0].size());
    for (auto& row : rows) row[0].insert(0, width - row[0].size(), ' ');
    if (!rows.empty()) line(table_text(rows));
  }

  void write_summary() {
    const Summary summary = summarize(result_);
    std::string text =
        summary.errors + summary.warnings + summary.notes == 0
            ? "no findings"
            : fmt::format("{}, {}, {}", counted(summary.errors, "error"),
                          counted(summary.warnings, "warning"), counted(summary.notes, "note"));
    text += " in " + counted(summary.files, "config");
    if (repeats_.count() != 0) {
      text += fmt::format("; {} not shown", counted(repeats_.count(), "repeat"));
    }
    if (summary.skipped != 0) {
      text += fmt::format("; {} skipped{}", counted(summary.skipped, "file"),
                          options_.verbose ? "" : " (--verbose says why)");
    }
    if (!result_.suppressed.empty()) {
      text += fmt::format("; {} suppressed", counted(std::ssize(result_.suppressed), "finding"));
    }
    if (summary.unreadable != 0) text += fmt::format("; {} unreadable", summary.unreadable);
    if (shortened_) text += "; --verbose shows all evidence";
    line(text);
    if (const std::string known = coverage_text(vram_coverage(result_)); !known.empty())
      line(known);
    if (summary.without_target != 0) {
      line(fmt::format(
          "{} without target hardware, so memory and GPU rules did not run there; name it with "
          "--gpu ID, --host ID or in .gpulint.yaml (gpulint list gpus)",
          counted(summary.without_target, "config")));
    }
  }

  const LintResult& result_;
  const ReportOptions& options_;
  const Repeats repeats_;
  bool shortened_ = false;
  std::string text_;
};

std::string text_report(const FindingsReport& report) {
  const ReportOptions& options = report.options;
  std::string text = TextReport(report).write();
  if (!options.explain_silence.empty()) {
    text += "\n" + silence_text(report.result, options.explain_silence);
  }
  return text;
}

/// A table first where there are several targets.
std::string estimates_text(std::span<const FileReport> files, const ReportOptions& options) {
  std::string text;
  if (files.size() > 1) text += fleet_text(files);
  for (const FileReport& file : files) {
    if (!text.empty()) text += "\n";
    text += estimate_text(file, options);
  }
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat text{
    .id = "text",
    .readers = "people: excerpt, numbers behind the verdict, fix, budget",
    .file_name = "gpulint.txt",
    .check = text_report,
    .facts = facts_text,
    .estimate = estimates_text,
    .fit = fit_text,
    .diff = diff_text,
    .confirm = confirm_text,
    .confirm_host = host_text,
    .confirm_links = node_text,
    .merge = merged_text,
    .runs = runs_text,
    .list = list_text,
    .explain = explain_text,
};

}  // namespace gpulint::formats
