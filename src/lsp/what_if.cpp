#include "lsp/what_if.h"

#include "base/text.h"
#include "lsp/diagnostics.h"
#include "plan/fact_table.h"
#include "report/report.h"

#include <fmt/format.h>

namespace gpulint::lsp {
namespace {

bool lay_over(LintRequest& request, const Json& changes, std::string& why) {
  for (const auto& [name, value] : changes.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : to_text(value);
    const FactRow* row = find_fact(name);
    TrainingPlan scratch;
    std::string expected = "no such fact";
    if (row == nullptr || !set_fact(scratch, *row, text, {.origin = Origin::project}, &expected)) {
      why = fmt::format("{}: {}: {}", escape_for_display(name), escape_for_display(text), expected);
      return false;
    }
    std::erase_if(request.options.facts, [&](const auto& fact) { return fact.first == name; });
    request.options.facts.emplace_back(name, text);
  }
  return true;
}

Json facts_of(const PlanReport& plan) {
  Json facts = Json::object();
  for (const FactRow& row : fact_table()) {
    const std::string text = canonical_text(plan.run->facts(), row);
    if (!text.empty()) facts[std::string(row.name)] = text;
  }
  return facts;
}

}  // namespace

std::optional<Json> what_if_of(const Check& check, const std::string& path, const Json& changes,
                               std::string& why) {
  LintRequest request = check.request;
  request.paths = {path};
  request.options.keep_plans = true;
  if (!lay_over(request, changes, why)) return std::nullopt;
  const LintResult result = lint(check.view, request);
  const FileReport* report = report_of(result, path);
  if (report == nullptr || report->plans.empty() || !report->plans.front().run) {
    why = "the file states no training run";
    return std::nullopt;
  }
  // A file with several phases: the first, as the lens above it does.
  FileReport first{.path = path};
  first.plans.push_back(report->plans.front());
  return Json{{"path", path},
              {"facts", facts_of(first.plans.front())},
              {"estimate", Json::parse(estimate_json(std::span(&first, 1)))}};
}

}  // namespace gpulint::lsp
