// The diagnostic format of reviewdog. Its columns count bytes of UTF-8, from 1.

#include "base/text.h"
#include "report/machine.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr SeverityWords kReviewdogWords{"INFO", "WARNING", "ERROR"};

Json position_json(const SourceText& source, std::uint32_t offset) {
  const std::uint32_t number = source.lines.at(source.text, offset).line;
  const std::string_view line = source.lines.line(source.text, number);
  const auto start = static_cast<std::size_t>(line.data() - source.text.data());
  const std::size_t bytes = std::min<std::size_t>(offset, source.text.size()) - start;
  return {{"line", number}, {"column", bytes + 1}};
}

Json range_json(const LintResult& result, SourceSpan span) {
  const SourceText* source = source_of(result, span);
  if (source == nullptr) return {{"start", {{"line", 1}, {"column", 1}}}};
  return {{"start", position_json(*source, span.begin)}, {"end", position_json(*source, span.end)}};
}

/// Several suggestions of one diagnostic are alternatives, so a fix of several edits is none.
bool is_suggestion(const Finding& finding) {
  return finding.fix && finding.fix->edits.size() == 1 &&
         finding.fix->edits.front().span.file == finding.span.file;
}

Json diagnostic_json(const LintResult& result, const Finding& finding,
                     const Surroundings& surroundings) {
  const std::string path = published_path(place_of(result, finding.span).path, surroundings);
  Json json{{"message", message_of(finding)},
            {"location",
             {{"path", escape_for_display(path)}, {"range", range_json(result, finding.span)}}},
            {"severity", word_of(finding.severity, kReviewdogWords)},
            {"code", {{"value", finding.rule}}}};
  if (is_suggestion(finding)) {
    const Edit& edit = finding.fix->edits.front();
    json["suggestions"] =
        Json::array({{{"range", range_json(result, edit.span)}, {"text", edit.text}}});
  }
  return json;
}

std::string rdjson_report(const FindingsReport& report) {
  Json diagnostics = Json::array();
  Severity worst = Severity::note;
  for (const Finding& finding : report.result.findings) {
    worst = std::max(worst, finding.severity);
    diagnostics.push_back(diagnostic_json(report.result, finding, report.surroundings));
  }
  return ascii_json({{"source", {{"name", "gpulint"}}},
                     {"severity", word_of(worst, kReviewdogWords)},
                     {"diagnostics", std::move(diagnostics)}},
                    2);
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat rdjson{
    .id = "rdjson",
    .readers = "reviewdog: review comments with suggestions",
    .file_name = "gpulint.rdjson",
    .syntax = Syntax::json,
    .applies_fixes = true,
    .check = rdjson_report,
};

}  // namespace gpulint::formats
