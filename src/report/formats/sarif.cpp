// SARIF 2.1.0 as GitHub code scanning reads it: one location per result, identities that do not
// depend on line numbers, regions that count code points.

#include "base/system_path.h"
#include "base/text.h"
#include "lint/project_files.h"
#include "report/machine.h"
#include "report/report.h"
#include "report/sarif_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gpulint {
namespace {

/// Above these GitHub refuses the whole file, or drops what is over (docs.github.com, "SARIF
/// results exceed one or more limits").
constexpr std::size_t kMaxResults = 25'000;
constexpr std::size_t kMaxRelated = 100;

/// A path as a URI reference; bytes outside the unreserved set are percent-encoded.
std::string uri_of(std::string_view path) {
  std::string uri = is_absolute(path) ? "file://" : "";
  if (!uri.empty() && !path.starts_with('/')) uri += '/';  // "C:/a"
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

/// "[text](1)" in a message is a link, so what only looks like one is escaped.
std::string escaped_brackets(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string without_links(const std::string& text) {
  return text.find("](") == std::string::npos ? text : escaped_brackets(text);
}

class SarifReport {
 public:
  SarifReport(const LintResult& result, const Catalog& catalog, const Surroundings& surroundings)
      : result_(result), surroundings_(surroundings), rules_(sarif_rules(result, catalog)) {}

  std::string write() {
    Json run{{"tool",
              {{"driver",
                {{"name", "gpulint"}, {"semanticVersion", kVersion}, {"rules", rules_.list}}}}},
             {"columnKind", "unicodeCodePoints"},
             {"automationDetails", {{"id", "gpulint/"}}},
             {"originalUriBaseIds",
              {{"SRCROOT", {{"description", {{"text", "the root of the repository"}}}}}}},
             {"invocations", Json::array({invocation_json()})},
             {"results", results_json()}};
    return ascii_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({std::move(run)})}},
                      2);
  }

 private:
  Json artifact_json(std::string_view path) const {
    const std::string published = published_path(path, surroundings_);
    Json json{{"uri", uri_of(published)}};
    if (is_inside(published)) json["uriBaseId"] = "SRCROOT";
    return json;
  }

  static Json region_json(const Place& place) {
    return {{"startLine", place.begin.line},
            {"startColumn", place.begin.column},
            {"endLine", place.end.line},
            {"endColumn", place.end.column}};
  }

  Json location_json(SourceSpan span) const {
    const Place place = first_line_place(result_, span);
    return {{"physicalLocation",
             {{"artifactLocation", artifact_json(place.path)}, {"region", region_json(place)}}}};
  }

  Json message_json(const Finding& finding) const {
    std::string text = message_of(finding);
    for (const std::string& step : finding.arithmetic) text += "\n" + escape_for_display(step);
    if (!finding.hardware.empty()) text += "\nHardware figures: " + finding.hardware;
    if (finding.fix) text += "\nFix: " + escape_for_display(finding.fix->advice);
    text = without_links(text);
    for (std::size_t i = 0; i < std::min(kMaxRelated, finding.related.size()); ++i) {
      text += fmt::format("\n[{}]({})",
                          escaped_brackets(escape_for_display(finding.related[i].message)), i + 1);
    }
    return {{"text", text}};
  }

  Json related_json(const Finding& finding) const {
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(kMaxRelated, finding.related.size()); ++i) {
      Json json{{"id", i + 1}};
      json.update(location_json(finding.related[i].span));
      json["message"] = {{"text", without_links(escape_for_display(finding.related[i].message))}};
      list.push_back(std::move(json));
    }
    return list;
  }

  Json fix_json(const Fix& fix) const {
    std::set<FileId> files;
    for (const Edit& edit : fix.edits) files.insert(edit.span.file);
    Json changes = Json::array();
    for (const FileId file : files) {
      Json replacements = Json::array();
      std::string_view path;
      for (const Edit& edit : fix.edits) {
        if (edit.span.file != file) continue;
        const Place place = place_of(result_, edit.span);
        path = place.path;
        replacements.push_back(
            {{"deletedRegion", region_json(place)}, {"insertedContent", {{"text", edit.text}}}});
      }
      changes.push_back(
          {{"artifactLocation", artifact_json(path)}, {"replacements", std::move(replacements)}});
    }
    return {{"description", {{"text", without_links(escape_for_display(fix.advice))}}},
            {"artifactChanges", std::move(changes)}};
  }

  Json result_json(const Finding& finding) {
    const std::string path = published_path(place_of(result_, finding.span).path, surroundings_);
    const Identities::Identity identity = identities_.of(result_, finding, path);
    const std::string fingerprint = fmt::format("{}:{}", identity.hash, identity.occurrence);
    Json json{{"ruleId", finding.rule},
              {"ruleIndex", rules_.index.find(finding.rule)->second},
              {"level", sarif_level(finding.severity)},
              {"message", message_json(finding)},
              {"locations", Json::array({location_json(finding.span)})},
              {"partialFingerprints",
               {{"primaryLocationLineHash", fingerprint}, {"gpulint/v1", fingerprint}}}};
    if (!finding.related.empty()) json["relatedLocations"] = related_json(finding);
    if (finding.fix && !finding.fix->edits.empty()) {
      json["fixes"] = Json::array({fix_json(*finding.fix)});
    }
    return json;
  }

  Json suppressed_json(const SuppressedFinding& suppressed) {
    Json json = result_json(suppressed.finding);
    const bool in_source = suppressed.kind == SuppressionKind::in_source;
    Json suppression{{"kind", in_source ? "inSource" : "external"}};
    if (!suppressed.reason.empty()) {
      suppression["justification"] = escape_for_display(suppressed.reason);
    }
    if (in_source) suppression["location"] = location_json(suppressed.by);
    json["suppressions"] = Json::array({std::move(suppression)});
    return json;
  }

  /// All of them, or the most severe where there are too many; in report order. Suppressed ones
  /// come last and give way first.
  Json results_json() {
    Json list = Json::array();
    if (result_.findings.size() <= kMaxResults) {
      for (const Finding& finding : result_.findings) list.push_back(result_json(finding));
      for (const SuppressedFinding& suppressed : result_.suppressed) {
        if (list.size() < kMaxResults) list.push_back(suppressed_json(suppressed));
      }
      return list;
    }
    std::vector<const Finding*> kept = by_severity(result_);
    kept.resize(kMaxResults);
    std::sort(kept.begin(), kept.end());
    for (const Finding* finding : kept) list.push_back(result_json(*finding));
    return list;
  }

  Json invocation_json() const {
    Json notifications = Json::array();
    for (const Error& error : result_.errors) {
      notifications.push_back(
          {{"level", "error"},
           {"message", {{"text", without_links(escape_for_display(error.to_string()))}}}});
    }
    for (const Finding& finding : result_.findings) {
      if (finding.rule != kSyntaxError && finding.rule != kLimitExceeded) continue;
      notifications.push_back({{"level", sarif_level(finding.severity)},
                               {"message", {{"text", without_links(message_of(finding))}}},
                               {"locations", Json::array({location_json(finding.span)})}});
    }
    if (result_.findings.size() > kMaxResults) {
      notifications.push_back(
          {{"level", "warning"},
           {"message",
            {{"text", fmt::format("only the {} most severe of {} findings are listed", kMaxResults,
                                  result_.findings.size())}}}});
    }
    return {{"executionSuccessful", result_.errors.empty()},
            {"exitCode", surroundings_.exit_code},
            {"toolExecutionNotifications", std::move(notifications)}};
  }

  const LintResult& result_;
  const Surroundings& surroundings_;
  SarifRules rules_;
  Identities identities_;
};

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat sarif{
    .id = "sarif",
    .readers = "GitHub code scanning and other SARIF 2.1.0 readers",
    .file_name = "gpulint.sarif",
    .syntax = Syntax::json,
    .applies_fixes = true,
    .check =
        [](const FindingsReport& report) {
          return SarifReport(report.result, report.catalog, report.surroundings).write();
        },
};

}  // namespace gpulint::formats
