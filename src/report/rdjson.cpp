// The diagnostic format of reviewdog. Its columns count bytes of UTF-8, from 1.

#include "base/text.h"
#include "report/machine.h"

#include <algorithm>

namespace gpulint {
namespace {

std::string_view rdjson_severity(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "INFO";
    case Severity::warning:
      return "WARNING";
    case Severity::error:
      return "ERROR";
  }
  return "";
}

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
            {"severity", rdjson_severity(finding.severity)},
            {"code", {{"value", finding.rule}}}};
  if (is_suggestion(finding)) {
    const Edit& edit = finding.fix->edits.front();
    json["suggestions"] =
        Json::array({{{"range", range_json(result, edit.span)}, {"text", edit.text}}});
  }
  return json;
}

}  // namespace

std::string report_rdjson(const LintResult& result, const Surroundings& surroundings) {
  Json diagnostics = Json::array();
  Severity worst = Severity::note;
  for (const Finding& finding : result.findings) {
    worst = std::max(worst, finding.severity);
    diagnostics.push_back(diagnostic_json(result, finding, surroundings));
  }
  return ascii_json({{"source", {{"name", "gpulint"}}},
                     {"severity", rdjson_severity(worst)},
                     {"diagnostics", std::move(diagnostics)}},
                    2);
}

}  // namespace gpulint
