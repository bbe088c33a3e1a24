#pragma once

#include "catalog/catalog.h"
#include "engine/engine.h"
#include "plan/fact_table.h"
#include "plan/plan.h"
#include "source/read.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// A rule file of a test; `body` is everything below the summary that a test does not care about.
inline Rule make_rule(const std::string& id, const std::string& keys) {
  const std::string text =
      "summary: a rule of a test\nsince: 0.1.0\n" + keys +
      "\nwhy: because\nsources: [a test]\n"
      "samples: {bad: [{config: \"a: 1\", expect: [1]}], ok: [{config: \"a: 1\"}]}\n";
  const Result<Document> document = read_yaml("rules/test/" + id + ".yaml", text, 0);
  REQUIRE(document.has_value());
  Result<Rule> rule = parse_rule(*document);
  REQUIRE_MESSAGE(rule.has_value(), (rule ? "" : rule.error().to_string()));
  return std::move(rule).value();
}

inline Engine engine_of(const std::vector<Rule>& rules) {
  Result<Engine> engine = Engine::bind(rules);
  REQUIRE_MESSAGE(engine.has_value(), (engine ? "" : engine.error().to_string()));
  return std::move(engine).value();
}

inline std::string error_of(const std::vector<Rule>& rules) {
  const Result<Engine> engine = Engine::bind(rules);
  return engine ? std::string() : engine.error().to_string();
}

/// A plan with these facts as if a config stated them, each at a span of its own.
inline Plan make_plan(const std::vector<std::pair<std::string, std::string>>& facts,
                      Origin origin = Origin::stated) {
  Plan plan;
  plan.facts.knowledge = &test::shipped_catalog();
  plan.path = "config.yaml";
  std::uint32_t offset = 10;
  for (const auto& fact : facts) {
    const std::string& name = fact.first;
    Provenance from;
    from.origin = origin;
    from.span = {0, offset, offset + 1};
    from.pointer = "/" + name;
    offset += 10;
    std::string why;
    const FactRow* row = find_fact(name);
    REQUIRE_MESSAGE(row != nullptr, name);
    REQUIRE_MESSAGE(set_fact(plan.facts, *row, fact.second, from, &why), name << ": " << why);
  }
  return plan;
}

inline ResolvedRun run_of(const Plan& plan, const Gpu* gpu = nullptr, const Host* host = nullptr) {
  return ResolvedRun::of(plan, nullptr, {gpu, host});
}

}  // namespace gpulint
