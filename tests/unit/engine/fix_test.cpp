#include "engine/engine.h"
#include "engine/fix_spelling.h"
#include "unit/engine/fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace gpulint {
namespace {

/// A config of one line "key: value", read as stating `fact`, and a rule that sets the fact.
struct Case {
  std::string key;
  std::string native;
  std::string fact;
  std::string canonical;
  std::string set;
  KeyMapping mapping;
};

std::vector<Edit> edits(Case one) {
  const std::string text = one.key + ": " + one.native + "\n";
  const Result<Document> document = read_yaml("config.yaml", text, 0);
  REQUIRE(document.has_value());
  const NodeId node = document->find(document->root(), one.key);
  Plan plan = make_plan({{one.fact, one.canonical}});
  Provenance from;
  from.span = document->span(node);
  from.pointer = "/" + one.key;
  REQUIRE(set_fact(plan.facts, *find_fact(one.fact), one.canonical, from));
  Dialect dialect;
  one.mapping.path = one.key;
  one.mapping.fact = one.fact;
  dialect.mapping = DialectMapping{.keys = {one.mapping}, .defaults = {}};
  const Rule rule =
      make_rule("r", fmt::format("severity: note\nwhen: known({0})\nat: {0}\nmessage: m\n"
                                 "fix: {{kind: unsafe, advice: a, set: {{{0}: {1}}}}}\n",
                                 one.fact, one.set));
  const Subject subject{
      .plan = &plan, .run = run_of(plan), .dialect = &dialect, .document = &*document};
  const auto findings = engine_of({rule}).run(subject, {});
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].fix.has_value());
  CHECK((findings[0].fix->kind == FixKind::display) == findings[0].fix->edits.empty());
  return findings[0].fix->edits;
}

std::string replacement(Case one) {
  const auto found = edits(std::move(one));
  return found.size() == 1 ? found[0].text : fmt::format("{} edits", found.size());
}

KeyMapping with_values(std::vector<ValueMapping> values) {
  KeyMapping mapping;
  mapping.values = std::move(values);
  return mapping;
}

}  // namespace

TEST_CASE("a fix replaces a number in place and keeps its quotes") {
  CHECK(replacement({"workers", "32", "num_workers", "32", "12", {}}) == "12");
  CHECK(replacement({"workers", "\"32\"", "num_workers", "32", "12", {}}) == "\"12\"");
  CHECK(replacement({"workers", "'32'", "num_workers", "32", "12", {}}) == "'12'");
}

TEST_CASE("a fix writes booleans the way the config writes them") {
  CHECK(replacement({"pin", "False", "pin_memory", "false", "true", {}}) == "True");
  CHECK(replacement({"pin", "no", "pin_memory", "false", "true", {}}) == "yes");
  CHECK(replacement({"pin", "OFF", "pin_memory", "false", "true", {}}) == "ON");
  CHECK(replacement({"pin", "0", "pin_memory", "false", "true", {}}) == "1");
}

TEST_CASE("a rate is written so that every loader reads a number") {
  CHECK(replacement({"lr", "0.1", "learning_rate", "0.1", "0.00002", {}}) == "0.00002");
  CHECK(replacement({"lr", "1e-3", "learning_rate", "0.001", "0.00002", {}}) == "2.0e-5");
  CHECK(replacement({"lr", "0.1", "learning_rate", "0.1", "0.0000000123456", {}}) == "1.23456e-08");
  CHECK(replacement({"lr", "0.1", "learning_rate", "0.1", "0.625", {}}) == "0.625");
}

TEST_CASE("a number beside a word takes nothing from how the word is written") {
  CHECK(number_like("true", 8, true) == "8");
  CHECK(number_like("false", 0.00002, false) == "0.00002");
}

TEST_CASE("a word with one native spelling is written in it") {
  const KeyMapping mapping = with_values({{"O0", "none"}, {"O1", "fp16"}, {"*", std::nullopt}});
  CHECK(replacement({"level", "O0", "mixed_precision", "none", "'\"fp16\"'", mapping}) == "O1");
  CHECK(replacement({"level", "O0", "mixed_precision", "none", "'\"bf16\"'", mapping}) ==
        "0 edits");
}

TEST_CASE("an on-off switch is turned on for either kind of half precision") {
  const KeyMapping mapping = with_values({{"true", "enabled"}, {"false", "none"}});
  CHECK(replacement({"amp", "false", "mixed_precision", "none", "'\"bf16\"'", mapping}) == "true");
}

TEST_CASE("a meaning with several native words is left to the reader") {
  const KeyMapping mapping =
      with_values({{"32", "none"}, {"32-true", "none"}, {"bf16", "bf16"}, {"bf16-mixed", "bf16"}});
  CHECK(replacement({"precision", "32", "mixed_precision", "none", "'\"bf16\"'", mapping}) ==
        "0 edits");
}

TEST_CASE("what a conversion read is written back only where it reads a plain number") {
  KeyMapping mapping;
  mapping.transform = "device_count";
  CHECK(replacement({"devices", "\"0,1,2,3\"", "gpus_per_node", "4", "2", mapping}) == "0 edits");
  CHECK(replacement({"devices", "4", "gpus_per_node", "4", "2", mapping}) == "2");
}

TEST_CASE("references and lists are not edited") {
  CHECK(replacement({"workers", "${data.workers}", "num_workers", "4", "2", {}}) == "0 edits");
  CHECK(replacement({"workers", "[4]", "num_workers", "4", "2", {}}) == "0 edits");
}

}  // namespace gpulint
