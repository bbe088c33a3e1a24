#include "report/conditions_json.h"

#include "plan/fact_table.h"

#include <cstdint>
#include <string>
#include <variant>

namespace gpulint {
namespace {

/// A value of a fact as JSON has it: a number, a boolean or a text.
Json fact_json(const std::string& fact, const std::string& value) {
  TrainingPlan plan;
  const FactRow* row = find_fact(fact);
  if (row == nullptr || !set_fact(plan, *row, value, {})) return value;
  const expr::Value parsed = value_of(plan, *row);
  if (const auto* number = std::get_if<std::int64_t>(&parsed.data)) return *number;
  if (const auto* flag = std::get_if<bool>(&parsed.data)) return *flag;
  return value;
}

Json number_or_null(const std::optional<std::int64_t>& number) {
  return number ? Json(*number) : Json();
}

}  // namespace

Json conditions_json(std::span<const Condition> conditions) {
  Json json = Json::array();
  for (const Condition& condition : conditions) {
    Json facts = Json::object();
    for (const SupposedFact& fact : condition.facts) {
      Json values = Json::array();
      for (const std::string& value : fact.values) values.push_back(fact_json(fact.fact, value));
      facts[fact.fact] = std::move(values);
    }
    const bool centred = !condition.lower_bound_only;
    json.push_back(
        {{"facts", std::move(facts)},
         {"low", condition.needed.low.count()},
         {"central", centred ? Json(condition.needed.central.count()) : Json()},
         {"high", condition.bounded_above ? Json(condition.needed.high.count()) : Json()},
         {"verdict", name_of(condition.verdict.fit)}});
  }
  return json;
}

Json devices_json(const std::optional<LeastDevices>& devices) {
  if (!devices) return nullptr;
  return {{"least", devices->least},
          {"enough", number_or_null(devices->enough)},
          {"available", number_or_null(devices->available)},
          {"certain", devices->certain}};
}

}  // namespace gpulint
