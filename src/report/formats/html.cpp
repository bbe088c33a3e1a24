// One self-contained HTML file: it loads nothing, runs nothing, and its policy forbids both.

#include "base/text.h"
#include "report/excerpt.h"
#include "report/html_budget.h"
#include "report/html_style.h"
#include "report/machine.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr int kExcerptWidth = 110;  // columns
constexpr std::size_t kFactsNamed = 3;
/// Pictures are drawn for so many configs, and for as many as the page has room for: one of
/// hundreds of configs stays one that a mail or a review takes.
constexpr std::size_t kMostPictured = 35;
constexpr std::size_t kPageRoom = 290'000;  // bytes
/// Points of a curve: as many as a small picture has room for.
constexpr std::size_t kCurvePoints = 160;

std::string run_name(const FileReport& file, const PlanReport& plan) {
  std::string name = "<code>" + xml_text(file.path) + "</code>";
  if (plan.phase) name += " " + xml_text(*plan.phase);
  return name;
}

std::string cell_of(const FleetCell& cell) {
  struct Look {
    std::string_view style;
    std::string_view sign;
  };
  static constexpr Look kLooks[] = {
      {"unknown", "?"}, {"fits", "\u2713"}, {"thin", "~"}, {"over", "\u2717"}};
  const Look& look = kLooks[static_cast<std::size_t>(cell.verdict.fit)];
  std::string text =
      fmt::format("<td class={}>{} {}", look.style, look.sign, name_of(cell.verdict.fit));
  if (cell.vram && cell.lower_bound_only) {
    text += fmt::format("<small>\u2265 {}</small>", format_binary(cell.vram->low));
  } else if (cell.vram) {
    text += fmt::format("<small>{}</small>", format_binary(cell.vram->central));
  }
  return text;  // HTML ends a cell where the next one begins, and a fleet has thousands
}

/// The first facts that an estimate would need.
std::string needs(const PlanReport& plan) {
  std::vector<std::string> facts = plan.estimate.unknown;
  if (facts.empty()) return {};
  const std::size_t more = facts.size() - std::min(facts.size(), kFactsNamed);
  facts.resize(facts.size() - more);
  return " needs " + xml_text(join(facts, ", ")) +
         (more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Of the card itself: a config may keep some of it free.
std::string memory_of(const FleetCell& cell) {
  const std::optional<BytesRange>& own = cell.gpu->usable_memory;
  const std::optional<BytesRange>& usable = own ? own : cell.usable;
  return usable ? format_binary(usable->low) : "?";
}

/// Somebody knows the memory of the run on some GPU.
bool in_matrix(const PlanReport& plan) {
  return std::any_of(plan.fleet.begin(), plan.fleet.end(),
                     [](const FleetCell& cell) { return cell.verdict.fit != Fit::unknown; });
}

/// Config by GPU. Runs whose memory nobody can know on any GPU are listed below the table.
std::string fleet_matrix(const LintResult& result) {
  std::size_t number = 0;
  std::string head;
  std::string rows;
  std::string unknown;
  for (const FileReport& file : result.files) {
    ++number;
    for (const PlanReport& plan : file.plans) {
      if (!in_matrix(plan)) {
        unknown += fmt::format("<li>{} <span class=faint>{}</span>{}</li>\n", run_name(file, plan),
                               xml_text(file.dialect), needs(plan));
        continue;
      }
      if (head.empty()) {
        for (const FleetCell& cell : plan.fleet) {
          head += fmt::format("<th scope=col>{}<small><br>{}</small></th>", xml_text(cell.gpu->id),
                              memory_of(cell));
        }
      }
      rows +=
          fmt::format("<tr><th scope=row><a href=#c{}>{}</a></th>", number, run_name(file, plan));
      for (const FleetCell& cell : plan.fleet) rows += cell_of(cell);
      rows += "</tr>\n";
    }
  }
  std::string text;
  if (!rows.empty()) {
    text =
        "<h2 id=fleet>Which GPU holds which config</h2>\n<div class=scroll tabindex=0 role=region "
        "aria-labelledby=fleet><table><thead><tr><th scope=col>config</th>" +
        head + "</tr></thead><tbody>\n" + rows +
        "</tbody></table></div>\n<p class=faint>what a run needs, blocks that the allocator "
        "only "
        "caches given back; thin: little is left, or it fits only if the estimate is not too "
        "low; \u2265: only a lower bound is known</p>\n";
  }
  if (!unknown.empty()) {
    text += "<details><summary>Not estimated</summary><div class=inside><ul>\n" + unknown +
            "</ul></div></details>\n";
  }
  return text;
}

/// The excerpt with the part meant marked: the underline tells which columns.
std::string excerpt_html(const LintResult& result, const Finding& finding) {
  const SourceText* source = source_of(result, finding.span);
  if (source == nullptr) return {};
  const Excerpt excerpt = excerpt_of(*source, finding.span, kExcerptWidth);
  return fmt::format("<pre tabindex=0>{:>4} | {}\n     | {}</pre>\n", excerpt.line,
                     xml_text(excerpt.text), xml_text(excerpt.underline));
}

std::string finding_html(const LintResult& result, const Finding& finding) {
  const Place place = place_of(result, finding.span);
  const std::string_view severity = name_of(finding.severity);
  std::string text = fmt::format(
      "<div class=\"finding {0}\"><p><b class=\"{0}\">{0}</b> <code>{1}</code> {2}</p>\n"
      "<p class=faint><code>{3}:{4}:{5}</code></p>\n",
      severity, xml_text(finding.rule), xml_text(message_of(finding)), xml_text(place.path),
      place.begin.line, place.begin.column);
  text += excerpt_html(result, finding);
  const bool names_figures = !finding.hardware.empty() && finding.hardware != kDatabaseFigures;
  if (!finding.arithmetic.empty() || names_figures) {
    text += "<ul>";
    for (const std::string& line : finding.arithmetic) text += "<li>" + xml_text(line) + "</li>";
    if (names_figures) {
      text += "<li>hardware figures: " + xml_text(finding.hardware) + "</li>";
    }
    text += "</ul>\n";
  }
  if (finding.fix) text += fmt::format("<p><b>fix</b> {}</p>\n", xml_text(finding.fix->advice));
  return text + "</div>\n";
}

using FindingsByRun = std::map<std::string, std::vector<const Finding*>, std::less<>>;

/// Findings under the configs whose runs show them; one base file may serve many.
FindingsByRun by_run(const LintResult& result) {
  FindingsByRun findings;
  for (const Finding* finding : by_severity(result)) {
    if (finding->runs.empty()) {
      findings[std::string(place_of(result, finding->span).path)].push_back(finding);
    }
    for (const std::string& run : finding->runs) findings[run].push_back(finding);
  }
  return findings;
}

/// Played and searched here, because most runs of a large page are shown without: their steps
/// would double what the page takes.
std::string pictures_of(const PlanReport& plan) {
  if (!plan.run) return {};
  std::string text;
  if (const auto curve = step_curve(*plan.run, kCurvePoints)) text += html_timeline(plan, *curve);
  const EstimateRequest request{
      .run = *plan.run, .measurements = plan.measurements, .headroom = plan.headroom};
  return text + html_batches(plan, batch_curve(request));
}

std::string plan_html(const PlanReport& plan, bool pictures) {
  std::string text;
  if (plan.phase) text += fmt::format("<h3>{}</h3>\n", xml_text(*plan.phase));
  text += html_budget(plan, pictures) + html_time(plan);
  if (pictures) text += pictures_of(plan);
  return text;
}

/// `number`: of the file in the result, which the matrix links to.
std::string config_html(const LintResult& result, const FileReport& file, std::size_t number,
                        bool pictures, const std::vector<const Finding*>& findings) {
  std::string inside;
  for (const PlanReport& plan : file.plans) inside += plan_html(plan, pictures);
  for (const Finding* finding : findings) inside += finding_html(result, *finding);
  if (inside.empty()) {
    // Named below the matrix, with what it lacks.
    if (!file.plans.empty() && !in_matrix(file.plans.front())) return {};
    return fmt::format("<p class=plain id=c{}><code>{}</code> <span class=faint>{}</span></p>\n",
                       number, xml_text(file.path), xml_text(file.dialect));
  }
  std::string text = fmt::format(
      "<details id=c{}{}><summary><code>{}</code> <span class=faint>{}</span> <span>{}</span>"
      "</summary><div class=inside>\n",
      number, findings.empty() ? "" : " open", xml_text(file.path), xml_text(file.dialect),
      findings.empty() ? "no findings" : counted(std::ssize(findings), "finding"));
  text += inside;
  if (std::any_of(file.plans.begin(), file.plans.end(), in_matrix))
    text += "<p class=back><a href=#fleet>to the matrix</a></p>";
  return text + "</div></details>\n";
}

/// What speaks for pictures of a config: its verdicts, then its findings.
int weight_of(const FileReport& file, const FindingsByRun& findings) {
  int weight = findings.count(file.path) != 0 ? 1 : 0;
  for (const PlanReport& plan : file.plans) {
    if (!plan.estimate.vram) continue;
    const Fit fit = plan.estimate.vram_verdict.fit;
    weight = std::max(weight, 2 + (plan.estimate.vram->lower_bound_only ? 0 : 2) +
                                  (fit == Fit::does_not_fit || fit == Fit::thin ? 1 : 0));
  }
  return weight;
}

/// Of the linted files and those with findings, by their place in the result.
std::vector<std::size_t> shown_files(const LintResult& result, const FindingsByRun& findings) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < result.files.size(); ++i) {
    const FileReport& file = result.files[i];
    if (file.state == FileState::linted || findings.count(file.path) != 0) shown.push_back(i);
  }
  return shown;
}

/// The configs one after the other; those with the most to say have pictures, as far as there is
/// room.
std::string configs_html(const LintResult& result, std::size_t room) {
  const FindingsByRun findings = by_run(result);
  const std::vector<std::size_t> shown = shown_files(result, findings);
  const auto text_of = [&](std::size_t i, bool pictures) {
    static const std::vector<const Finding*> kNone;
    const auto found = findings.find(result.files[i].path);
    return config_html(result, result.files[i], i + 1, pictures,
                       found == findings.end() ? kNone : found->second);
  };
  std::map<std::size_t, std::string> texts;
  for (const std::size_t i : shown) {
    const std::string& text = texts.emplace(i, text_of(i, false)).first->second;
    room -= std::min(room, text.size());
  }
  std::vector<std::size_t> ranked = shown;
  std::stable_sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    return weight_of(result.files[a], findings) > weight_of(result.files[b], findings);
  });
  ranked.resize(std::min(ranked.size(), kMostPictured));
  std::size_t pictured = 0;
  for (const std::size_t i : ranked) {
    std::string text = text_of(i, true);
    const std::size_t more = text.size() - std::min(text.size(), texts[i].size());
    if (more > room) break;
    room -= more;
    ++pictured;
    texts[i] = std::move(text);
  }
  std::string all = "<h2>Configs</h2>\n";
  if (pictured < shown.size()) {
    all += fmt::format(
        "<p class=faint>pictures are drawn for the {} with the most to say; <code>gpulint estimate "
        "CONFIG --output svg</code> draws any</p>\n",
        counted(static_cast<std::int64_t>(pictured), "config"));
  }
  for (const auto& [i, text] : texts) all += text;
  return all;
}

std::string counts_html(const Summary& summary) {
  return fmt::format(
      "<div class=\"counts\"><span class=\"count over\">{}</span><span class=\"count "
      "thin\">{}</span>"
      "<span class=\"count\">{}</span><span class=\"count\">{}</span></div>\n",
      counted(summary.errors, "error"), counted(summary.warnings, "warning"),
      counted(summary.notes, "note"), counted(summary.files, "config"));
}

std::string html_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\">"
      "<title>gpulint report</title><style>{}</style></head><body><main>\n"
      "<h1>gpulint</h1><p class=faint>training configs, what they need, and what is wrong with "
      "them; written by gpulint {}</p>\n",
      html_style(), kVersion);
  text += counts_html(summarize(result));
  text += fleet_matrix(result);
  text += configs_html(result, kPageRoom - std::min(kPageRoom, text.size()));
  return text + "</main></body></html>\n";
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat html{
    .id = "html",
    .readers =
        "people: one page with a matrix of configs and GPUs, budgets, time and cost, memory over one "
        "step and by batch size, findings",
    .file_name = "gpulint.html",
    .syntax = Syntax::markup,
    .shows_fleet = true,
    .check = html_report,
};

}  // namespace gpulint::formats
