#include "base/text.h"
#include "plan/fact_table.h"
#include "report/json_text.h"
#include "report/place.h"
#include "report/report.h"
#include "report/style.h"
#include "report/why.h"

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
  } else if (from.origin == Origin::project) {
    row.origin = "--set";  // no file says it
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

/// Values that would state a fact if any code read them.
std::vector<const Observation*> without_reader_of(const Plan& plan) {
  std::vector<const Observation*> found;
  for (const Observation& item : plan.observations) {
    const auto is_same = [&](const Observation* each) { return each->pointer == item.pointer; };
    if (item.list == "keys_without_reader" && std::none_of(found.begin(), found.end(), is_same))
      found.push_back(&item);
  }
  return found;
}

std::string without_reader_text(const Plan& plan, const LintResult& result) {
  std::string text;
  for (const Observation* item : without_reader_of(plan)) {
    const Place place = place_of(result, item->span);
    text += fmt::format("  {}:{}:{}  {} = {} states no {}\n", escape_for_display(place.path),
                        place.begin.line, place.begin.column,
                        escape_for_display(dotted_key(item->pointer)),
                        escape_for_display(item->value), item->fact);
  }
  return text.empty() ? text : "read by no code\n" + text;
}

Json without_reader_json(const Plan& plan, const LintResult& result) {
  Json keys = Json::array();
  for (const Observation* item : without_reader_of(plan)) {
    const Place place = place_of(result, item->span);
    keys.push_back({{"key", dotted_key(item->pointer)},
                    {"value", item->value},
                    {"fact", item->fact},
                    {"path", place.path},
                    {"line", place.begin.line},
                    {"column", place.begin.column}});
  }
  return keys;
}

/// Of all runs of the file; the first one's plan has them.
std::vector<const Observation*> unread_of(const FileReport& file) {
  std::vector<const Observation*> unread;
  if (file.plans.empty() || !file.plans.front().plan) return unread;
  for (const Observation& item : file.plans.front().plan->observations) {
    if (item.list == "unread_keys") unread.push_back(&item);
  }
  return unread;
}

std::string unread_text(const FileReport& file, const LintResult& result) {
  const std::vector<const Observation*> unread = unread_of(file);
  if (unread.empty()) return "every key was understood\n";
  std::string text = "keys that were not understood\n";
  for (const Observation* item : unread) {
    const Place place = place_of(result, item->span);
    text += fmt::format("  {}:{}  {} = {}\n", place.begin.line, place.begin.column,
                        escape_for_display(item->name), escape_for_display(item->value));
  }
  return text;
}

Json unread_json(const FileReport& file, const LintResult& result) {
  Json unread = Json::array();
  for (const Observation* item : unread_of(file)) {
    const Place place = place_of(result, item->span);
    unread.push_back({{"key", item->name},
                      {"value", item->value},
                      {"path", place.path},
                      {"line", place.begin.line},
                      {"column", place.begin.column}});
  }
  return unread;
}

Json why_json(const FileReport& file, const LintResult& result, std::string_view asked) {
  Json answers = Json::array();
  for (const Why& why : why_of(file, result, asked)) {
    Json answer{{"key", why.key.empty() ? Json() : Json(why.key)},
                {"fact", why.fact.empty() ? Json() : Json(why.fact)},
                {"value", why.stated.empty() ? Json() : Json(why.stated)}};
    if (!why.phase.empty()) answer["phase"] = why.phase;
    if (why.span.known()) {
      const Place place = place_of(result, why.span);
      answer["path"] = place.path;
      answer["line"] = place.begin.line;
      answer["column"] = place.begin.column;
    }
    if (!why.loaders.empty()) answer["loaded_by"] = why.loaders;
    if (!why.taken_by.empty()) {
      answer["taken_at"] = why.taken_at;
      answer["taken_by"] = why.taken_by;
      answer["computed"] = why.computed;
      answer["agreed"] = why.agreed;
    }
    if (!why.missing.empty()) {
      answer["missing"] = why.missing;
      answer["missing_at"] = why.missing_at.empty() ? Json() : Json(why.missing_at);
      answer["missing_code"] = why.missing_code.empty() ? Json() : Json(why.missing_code);
      answer["undecided"] = why.is_undecided;
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace

std::string facts_text(const FileReport& file, const LintResult& result,
                       const ReportOptions& options) {
  std::string text = paint(escape_for_display(file.path), Role::strong, options.color);
  if (file.dialect.empty()) return text + ": " + escape_for_display(file.reason) + "\n";
  if (!options.why.empty()) return why_text(file, result, options.why);
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
    text += without_reader_text(*report.plan, result);
  }
  if (options.unread) text += unread_text(file, result);
  return text;
}

std::string facts_json(const FileReport& file, const LintResult& result,
                       const ReportOptions& options) {
  Json phases = Json::array();
  for (const PlanReport& report : file.plans) {
    if (!report.plan) continue;
    Json facts = Json::object();
    for (const FactRow& fact : fact_table()) {
      if (provenance_of(report.plan->facts, fact) == nullptr) continue;
      facts[std::string(fact.name)] = fact_json(*report.plan, fact, result);
    }
    Json phase{{"phase", report.phase ? Json(*report.phase) : Json()},
               {"facts", std::move(facts)}};
    Json unread = without_reader_json(*report.plan, result);
    if (!unread.empty()) phase["read_by_no_code"] = std::move(unread);
    phases.push_back(std::move(phase));
  }
  Json json{{"path", file.path},
            {"dialect", file.dialect.empty() ? Json() : Json(file.dialect)},
            {"phases", std::move(phases)}};
  if (file.dialect.empty()) json["reason"] = file.reason;
  if (options.unread) json["unread"] = unread_json(file, result);
  if (!options.why.empty()) json["why"] = why_json(file, result, options.why);
  return json_text(json);
}

}  // namespace gpulint
