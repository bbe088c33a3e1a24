#include "engine/engine.h"

#include "unit/engine/fixture.h"

#include <doctest/doctest.h>

namespace gpulint {
namespace {

const char* const kDisplayFix = "fix: {kind: display, advice: \"change it\"}\n";

Rule batch_rule(const std::string& severity, const std::string& when) {
  return make_rule("batch-rule", "severity: " + severity + "\n" +
                                     (when.empty() ? "" : "when: " + when + "\n") +
                                     "at: [per_device_batch_size]\nmessage: \"batch is "
                                     "{per_device_batch_size}\"\n" +
                                     kDisplayFix);
}

std::vector<Finding> run(const Rule& rule, const Plan& plan, const RuleSettings& settings = {},
                         std::vector<Silence>* silences = nullptr) {
  const Subject subject{.plan = &plan, .run = run_of(plan)};
  return engine_of({rule}).run(subject, settings, silences);
}

}  // namespace

TEST_CASE("a rule whose condition holds points at the fact and prints its number") {
  const Plan plan = make_plan({{"per_device_batch_size", "64"}});
  const auto findings = run(batch_rule("warning", "per_device_batch_size > 32"), plan);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "batch-rule");
  CHECK(findings[0].severity == Severity::warning);
  CHECK(findings[0].message == "batch is 64");
  CHECK(findings[0].pointer == "/per_device_batch_size");
  CHECK(findings[0].span == SourceSpan{0, 10, 11});
  REQUIRE(findings[0].numbers.size() == 1);
  CHECK(findings[0].numbers[0].name == "per_device_batch_size");
  CHECK(findings[0].numbers[0].value == 64);
  CHECK(findings[0].runs == std::vector<std::string>{"config.yaml"});
}

TEST_CASE("a rule over an unknown fact is silent and names what it missed") {
  const Plan plan = make_plan({{"num_workers", "2"}});
  std::vector<Silence> silences;
  CHECK(run(batch_rule("warning", "per_device_batch_size > 32"), plan, {}, &silences).empty());
  REQUIRE(silences.size() == 1);
  CHECK(silences[0].rule == "batch-rule");
  CHECK(silences[0].missing == std::vector<std::string>{"per_device_batch_size"});
}

TEST_CASE("what would decide the severity that hangs on least is what a rule missed") {
  std::vector<Silence> silences;
  const Rule rule = batch_rule(
      "\n  error: per_device_batch_size > 64 and (num_workers > 2 or true)\n"
      "  warning: per_device_batch_size > 32",
      "(epochs ?? 1) > 0");
  CHECK(run(rule, make_plan({{"learning_rate", "0.1"}}), {}, &silences).empty());
  REQUIRE(silences.size() == 1);
  CHECK(silences[0].missing == std::vector<std::string>{"per_device_batch_size"});
}

TEST_CASE("a rule whose condition is false is silent and misses nothing") {
  const Plan plan = make_plan({{"per_device_batch_size", "8"}});
  std::vector<Silence> silences;
  CHECK(run(batch_rule("warning", "per_device_batch_size > 32"), plan, {}, &silences).empty());
  REQUIRE(silences.size() == 1);
  CHECK(silences[0].missing.empty());
}

TEST_CASE("the first severity level that holds decides, and none means silence") {
  const Rule rule =
      batch_rule("{error: per_device_batch_size > 100, note: per_device_batch_size > 10}", "");
  CHECK(run(rule, make_plan({{"per_device_batch_size", "200"}}))[0].severity == Severity::error);
  CHECK(run(rule, make_plan({{"per_device_batch_size", "50"}}))[0].severity == Severity::note);
  CHECK(run(rule, make_plan({{"per_device_batch_size", "5"}})).empty());
}

TEST_CASE("the project's severity replaces the rule's and a disabled rule is silent") {
  const Plan plan = make_plan({{"per_device_batch_size", "64"}});
  const Rule rule = batch_rule("warning", "per_device_batch_size > 32");
  RuleSettings settings;
  settings.severities["batch-rule"] = Severity::note;
  CHECK(run(rule, plan, settings)[0].severity == Severity::note);
  settings.disabled = {"batch-rule"};
  CHECK(run(rule, plan, settings).empty());
}

TEST_CASE("a preview rule speaks only when asked for") {
  const Plan plan = make_plan({{"per_device_batch_size", "64"}});
  Rule rule = batch_rule("warning", "per_device_batch_size > 32");
  rule.preview = true;
  CHECK(run(rule, plan).empty());
  RuleSettings settings;
  settings.enabled_previews = {"batch-rule"};
  CHECK(run(rule, plan, settings).size() == 1);
}

TEST_CASE("facts the condition read become related places, the one pointed at does not") {
  const Plan plan = make_plan({{"per_device_batch_size", "64"}, {"num_workers", "2"}});
  const auto findings =
      run(batch_rule("warning", "per_device_batch_size > 32 and num_workers < 4"), plan);
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].related.size() == 1);
  CHECK(findings[0].related[0].span == SourceSpan{0, 20, 21});
  CHECK(findings[0].related[0].message == "num_workers: 2 workers");
}

TEST_CASE("a finding about a fact of the command line says so and points at no other fact") {
  Plan plan = make_plan({{"num_workers", "2"}});
  REQUIRE(
      set_fact(plan.facts, *find_fact("per_device_batch_size"), "64", {.origin = Origin::project}));
  const auto findings = run(batch_rule("warning", "per_device_batch_size > 32"), plan);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].pointer.empty());
  CHECK(findings[0].arithmetic ==
        Arithmetic{"set outside the config (--set or .gpulint.yaml): per_device_batch_size=64"});
}

TEST_CASE("a line of arithmetic that would print an unknown value is left out") {
  const Rule rule = make_rule("sum", std::string("severity: note\nwhen: num_workers > 0\nat: "
                                                 "num_workers\nmessage: m\narithmetic:\n"
                                                 "  - \"{num_workers} workers\"\n"
                                                 "  - \"{prefetch_factor} batches\"\n") +
                                         kDisplayFix);
  const auto findings = run(rule, make_plan({{"num_workers", "3"}}));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].arithmetic == Arithmetic{"3 workers"});
}

TEST_CASE("stated() is true for what a person wrote and false for a framework's default") {
  const Rule rule = batch_rule("note", "stated(per_device_batch_size)");
  CHECK(run(rule, make_plan({{"per_device_batch_size", "8"}})).size() == 1);
  CHECK(run(rule, make_plan({{"per_device_batch_size", "8"}}, Origin::project)).size() == 1);
  CHECK(run(rule, make_plan({{"per_device_batch_size", "8"}}, Origin::dialect_default)).empty());
}

TEST_CASE("a for_each rule speaks once per observation of its list") {
  const Rule rule = make_rule("twice", std::string("severity: note\nfor_each: duplicate_keys\n"
                                                   "when: item.name != \"b\"\nat: item\n"
                                                   "message: \"{item.name} again\"\n") +
                                           kDisplayFix);
  Plan plan;
  for (const char* name : {"a", "b", "c"}) {
    Observation item;
    item.list = "duplicate_keys";
    item.name = name;
    item.span = {0, 5, 6};
    plan.observations.push_back(item);
  }
  plan.observations.push_back(plan.observations.front());
  plan.observations.back().list = "limits";
  const auto findings = run(rule, plan);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].message == "a again");
  CHECK(findings[1].message == "c again");
}

TEST_CASE("a misspelt name in a rule is a bind error with the file and a suggestion") {
  const std::string error = error_of({batch_rule("note", "per_device_batchsize > 3")});
  CHECK(error.find("rules/test/batch-rule.yaml") != error.npos);
  CHECK(error.find("did you mean \"per_device_batch_size\"?") != error.npos);
}

TEST_CASE("comparing memory with a count is a bind error") {
  CHECK(error_of({batch_rule("note", "gpu.memory > 3")}) != "");
  CHECK(error_of({batch_rule("note", "gpu.memory > 3 GiB")}) == "");
}

TEST_CASE("a verdict compared with a word it never is, is a bind error") {
  CHECK(error_of({batch_rule("note", "vram.verdict == \"perhaps\"")}) != "");
  CHECK(error_of({batch_rule("note", "vram.verdict == \"does not fit\"")}) == "");
}

TEST_CASE("a condition must be true or false, and at and set must name facts") {
  CHECK(error_of({batch_rule("note", "per_device_batch_size")}) != "");
  const auto with = [](const std::string& at, const std::string& set) {
    return make_rule("r", "severity: note\nwhen: known(num_workers)\nat: " + at +
                              "\nmessage: m\nfix: {kind: unsafe, advice: a, set: {" + set + "}}\n");
  };
  CHECK(error_of({with("num_worker", "num_workers: 1")}).find("num_workers") != std::string::npos);
  CHECK(error_of({with("num_workers", "pin_memory: 1")}) != "");
  CHECK(error_of({with("num_workers", "num_workers: 1")}) == "");
}

TEST_CASE("every broken rule is named, not only the first") {
  const std::string error =
      error_of({make_rule("first-broken",
                          "severity: note\nwhen: bacth > 1\nat: [model]\nmessage: x\nfix: {kind: "
                          "display, advice: x}"),
                make_rule("second-broken",
                          "severity: note\nwhen: epocs > 1\nat: [model]\nmessage: x\nfix: {kind: "
                          "display, advice: x}")});
  CHECK(error.find("first-broken") != std::string::npos);
  CHECK(error.find("second-broken") != std::string::npos);
}

TEST_CASE("a run on a CPU is not judged by what a GPU could do") {
  const Engine engine =
      engine_of({make_rule("on-a-gpu",
                           "severity: note\nwhen: gpu.tensor_cores\nat: [model]\nmessage: x\nfix: "
                           "{kind: display, advice: x}")});
  Gpu gpu;
  gpu.id = "test";
  gpu.tensor_cores = true;
  const Plan on_gpu = make_plan({{"model", "resnet50"}});
  const Plan on_cpu = make_plan({{"model", "resnet50"}, {"accelerator", "cpu"}});
  CHECK(engine.run({.plan = &on_gpu, .run = run_of(on_gpu, &gpu)}, {}).size() == 1);
  CHECK(engine.run({.plan = &on_cpu, .run = run_of(on_cpu, &gpu)}, {}).empty());
}

}  // namespace gpulint
