#include "base/text.h"
#include "plan/fact_table.h"
#include "report/json_text.h"
#include "report/place.h"
#include "report/report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

namespace gpulint {
namespace {

Json value_json(const expr::Value& value) {
  struct ToJson {
    Json operator()(const expr::Unknown&) const { return nullptr; }
    Json operator()(const expr::List& items) const {
      Json json = Json::array();
      for (const expr::Value& item : items) json.push_back(value_json(item));
      return json;
    }
    Json operator()(bool v) const { return v; }
    Json operator()(std::int64_t v) const { return v; }
    Json operator()(double v) const { return v; }
    Json operator()(const std::string& v) const { return v; }
  };
  return std::visit(ToJson{}, value.data);
}

Json fact_json(const Plan& plan, const FactRow& row, const LintResult& result) {
  const Provenance& from = *provenance_of(plan.facts, row);
  Json json{{"value", value_json(value_of(plan.facts, row))},
            {"unit", row.unit},
            {"origin", name_of(from.origin)}};
  if (from.span.known()) {
    const Place place = place_of(result, from.span);
    json["path"] = place.path;
    json["line"] = place.begin.line;
    json["column"] = place.begin.column;
  }
  if (!from.pointer.empty()) json["pointer"] = from.pointer;
  if (!from.detail.empty()) json["detail"] = from.detail;
  return json;
}

/// One line of the table for people.
struct Row {
  std::string name, value, origin, place, detail;
};

Row row_of(const Plan& plan, const FactRow& fact, const FileReport& file,
           const LintResult& result) {
  const Provenance& from = *provenance_of(plan.facts, fact);
  Row row{.name = std::string(fact.name),
          .value = escape_for_display(display(plan.facts, fact)),
          .origin = name_of(from.origin),
          .place = {},
          .detail = escape_for_display(from.detail)};
  if (from.span.known()) {
    const Place place = place_of(result, from.span);
    row.place = fmt::format("{}:{}", place.begin.line, place.begin.column);
    if (place.path != file.path) row.place.insert(0, escape_for_display(place.path) + ":");
  }
  return row;
}

std::string table_of(const std::vector<Row>& rows) {
  int name = 0;
  int value = 0;
  int origin = 0;
  int place = 0;
  for (const Row& row : rows) {
    name = std::max(name, display_width(row.name));
    value = std::max(value, display_width(row.value));
    origin = std::max(origin, display_width(row.origin));
    place = std::max(place, display_width(row.place));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {}  {}  {}  {}  {}", pad_right(row.name, name), pad_right(row.value, value),
                    pad_right(row.origin, origin), pad_right(row.place, place), row.detail);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string facts_text(const FileReport& file, const LintResult& result,
                       const ReportOptions& options) {
  std::string text = paint(escape_for_display(file.path), Role::strong, options.color);
  if (file.dialect.empty()) return text + ": " + escape_for_display(file.reason) + "\n";
  text += fmt::format(" (dialect {})\n", file.dialect);
  for (const PlanReport& report : file.plans) {
    if (!report.plan) continue;
    if (report.phase) text += fmt::format("phase {}\n", escape_for_display(*report.phase));
    std::vector<Row> rows;
    for (const FactRow& fact : fact_table()) {
      if (provenance_of(report.plan->facts, fact) == nullptr) continue;
      rows.push_back(row_of(*report.plan, fact, file, result));
    }
    text += rows.empty() ? "  no facts\n" : table_of(rows);
  }
  return text;
}

std::string facts_json(const FileReport& file, const LintResult& result) {
  Json phases = Json::array();
  for (const PlanReport& report : file.plans) {
    if (!report.plan) continue;
    Json facts = Json::object();
    for (const FactRow& fact : fact_table()) {
      if (provenance_of(report.plan->facts, fact) == nullptr) continue;
      facts[std::string(fact.name)] = fact_json(*report.plan, fact, result);
    }
    phases.push_back(
        {{"phase", report.phase ? Json(*report.phase) : Json()}, {"facts", std::move(facts)}});
  }
  Json json{{"path", file.path},
            {"dialect", file.dialect.empty() ? Json() : Json(file.dialect)},
            {"phases", std::move(phases)}};
  if (file.dialect.empty()) json["reason"] = file.reason;
  return json_text(json);
}

}  // namespace gpulint
