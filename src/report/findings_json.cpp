#include "report/json_text.h"
#include "report/place.h"
#include "report/report.h"
#include "report/summary.h"

namespace gpulint {
namespace {

Json span_json(const LintResult& result, SourceSpan span) {
  const Place place = place_of(result, span);
  return {{"path", place.path},
          {"line", place.begin.line},
          {"column", place.begin.column},
          {"end_line", place.end.line},
          {"end_column", place.end.column}};
}

/// The verdicts on the budgets of a run, where it has a target.
Json targets_json(const FileReport& file) {
  Json targets = Json::array();
  for (const PlanReport& plan : file.plans) {
    if (plan.gpu == nullptr && plan.host == nullptr) continue;
    const Estimate& estimate = plan.estimate;
    targets.push_back({{"phase", plan.phase ? Json(*plan.phase) : Json()},
                       {"gpu", plan.gpu != nullptr ? Json(plan.gpu->id) : Json()},
                       {"host", plan.host != nullptr ? Json(plan.host->id) : Json()},
                       {"vram", name_of(estimate.vram_verdict.fit)},
                       {"ram", name_of(estimate.ram_verdict.fit)},
                       {"shm", name_of(estimate.shm_verdict.fit)}});
  }
  return targets;
}

Json file_json(const FileReport& file) {
  Json json{{"path", file.path},
            {"dialect", file.dialect.empty() ? Json() : Json(file.dialect)},
            {"recognised", !file.dialect.empty()}};
  if (!file.reason.empty()) json["reason"] = file.reason;
  if (!file.reads.empty()) json["reads"] = file.reads;
  if (!file.variant_of.empty()) json["variant_of"] = file.variant_of;
  if (!file.part_of.empty()) json["part_of"] = file.part_of;
  if (Json targets = targets_json(file); !targets.empty()) json["targets"] = std::move(targets);
  return json;
}

Json numbers_json(const std::vector<NamedNumber>& numbers) {
  Json json = Json::object();
  for (const NamedNumber& number : numbers) {
    if (number.integral) {
      json[number.name] = Bytes::rounded(number.value).count();
    } else {
      json[number.name] = number.value;
    }
  }
  return json;
}

std::string_view name_of(FixKind kind) {
  switch (kind) {
    case FixKind::safe:
      return "safe";
    case FixKind::unsafe:
      return "unsafe";
    case FixKind::display:
      return "display";
  }
  return "";
}

Json fix_json(const LintResult& result, const std::optional<Fix>& fix) {
  if (!fix) return nullptr;
  Json edits = Json::array();
  for (const Edit& edit : fix->edits) {
    Json json = span_json(result, edit.span);
    json["text"] = edit.text;
    edits.push_back(std::move(json));
  }
  return {{"kind", name_of(fix->kind)},
          {"advice", fix->advice},
          {"edits", std::move(edits)},
          {"refusal", fix->refusal.empty() ? Json(nullptr) : Json(fix->refusal)}};
}

Json related_json(const LintResult& result, const std::vector<RelatedPlace>& related) {
  Json json = Json::array();
  for (const RelatedPlace& each : related) {
    const Place place = place_of(result, each.span);
    json.push_back({{"path", place.path},
                    {"line", place.begin.line},
                    {"column", place.begin.column},
                    {"message", each.message}});
  }
  return json;
}

/// Hidden findings stand in a list of their own, so that whoever counts `findings` counts what
/// counts.
Json suppressed_json(const LintResult& result, const SuppressedFinding& suppressed) {
  Json json = finding_json(result, suppressed.finding);
  const bool in_source = suppressed.kind == SuppressionKind::in_source;
  Json by{{"kind", in_source ? "in-source" : "baseline"}, {"reason", suppressed.reason}};
  if (in_source) {
    const Place place = place_of(result, suppressed.by);
    by["path"] = place.path;
    by["line"] = place.begin.line;
    by["column"] = place.begin.column;
  }
  json["suppression"] = std::move(by);
  return json;
}

}  // namespace

Json finding_json(const LintResult& result, const Finding& finding) {
  Json json{{"rule", finding.rule}, {"severity", name_of(finding.severity)}};
  json.update(span_json(result, finding.span));
  json["pointer"] = finding.pointer;
  json["message"] = finding.message;
  json["runs"] = finding.runs;
  json["phase"] = finding.phase ? Json(*finding.phase) : Json();
  json["related"] = related_json(result, finding.related);
  json["numbers"] = numbers_json(finding.numbers);
  json["arithmetic"] = finding.arithmetic;
  json["hardware"] = finding.hardware.empty() ? Json() : Json(finding.hardware);
  json["fix"] = fix_json(result, finding.fix);
  return json;
}

std::string findings_json(const FindingsReport& report) {
  const LintResult& result = report.result;
  Json files = Json::array();
  for (const FileReport& file : result.files) files.push_back(file_json(file));
  Json findings = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(finding_json(result, finding));
  Json suppressed = Json::array();
  for (const SuppressedFinding& each : result.suppressed) {
    suppressed.push_back(suppressed_json(result, each));
  }
  const Summary summary = summarize(result);
  const VramCoverage vram = vram_coverage(result);
  return json_text({{"schema", "gpulint/1"},
                    {"version", kVersion},
                    {"files", std::move(files)},
                    {"findings", std::move(findings)},
                    {"suppressed", std::move(suppressed)},
                    {"summary",
                     {{"errors", summary.errors},
                      {"warnings", summary.warnings},
                      {"notes", summary.notes},
                      {"suppressed", result.suppressed.size()},
                      {"files", summary.files},
                      {"skipped", summary.skipped + summary.unreadable},
                      {"vram",
                       {{"runs", vram.runs},
                        {"estimated", vram.estimated},
                        {"lower_bounds", vram.lower_bounds},
                        {"unknown", vram.unknown()}}}}}});
}

}  // namespace gpulint
