#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

namespace rule_loader_test {

using namespace gpulint;

namespace {

constexpr const char* kPath = "rules/precision/amp-disabled.yaml";

const std::string kRule = R"(summary: mixed precision is off
severity: warning
since: 0.1.0
when: mixed_precision == "none" and gpu.tensor_cores
at: [mixed_precision, per_device_batch_size]
message: "fp32 leaves {gpu.name} idle"
arithmetic:
  - "{num_workers} workers"
why: |
  First line.
  Second line.
fix:
  kind: unsafe
  advice: "set it"
  set: {mixed_precision: '"bf16" if gpu.bf16_native else "fp16"'}
sources: [a paper]
samples:
  bad:
    - config: |
        batch_size: 64
        amp: false
      expect: [2]
      gpu: rtx-3090
      project: "gpus_per_node: 1\n"
      siblings: {other.yaml: "a: 1\n"}
  ok:
    - {config: "amp: true\n", file: run.env}
)";

std::string error_of(const std::string& text) {
  const Document rule = document(kPath, text);
  const Result<Rule> parsed = parse_rule(rule);
  if (!parsed) return parsed.error().to_string();
  const Result<RuleManual> manual = parse_rule_manual(rule);
  return manual ? "no error" : manual.error().to_string();
}

}  // namespace

TEST_CASE("a rule's id is its file and its family the folder") {
  const Document file = document(kPath, kRule);
  const Result<Rule> rule = parse_rule(file);
  REQUIRE(rule);
  CHECK(rule->id == "amp-disabled");
  CHECK(rule->family == "precision");
  CHECK_FALSE(rule->preview);
  REQUIRE(rule->severity.size() == 1);
  CHECK(rule->severity[0].severity == Severity::warning);
  CHECK(rule->severity[0].when.empty());
  CHECK(rule->when.text() == "mixed_precision == \"none\" and gpu.tensor_cores");
  CHECK(rule->at == std::vector<std::string>{"mixed_precision", "per_device_batch_size"});
  const RuleTexts texts = rule->texts();
  CHECK(texts.arithmetic.size() == 1);
  CHECK(texts.fix_kind == "unsafe");
  CHECK(texts.fix_advice.text() == "set it");
  REQUIRE(texts.fix_sets.size() == 1);
  REQUIRE(texts.fix_sets[0].set.size() == 1);
  CHECK(texts.fix_sets[0].set[0].first == "mixed_precision");
  CHECK(texts.fix_sets[0].set[0].second.text() == "\"bf16\" if gpu.bf16_native else \"fp16\"");
}

TEST_CASE("severity levels are tried from error to note, however they are written") {
  const Document file =
      document(kPath, with(kRule, "severity: warning", "severity: {note: a > 1, error: a > 2}"));
  const Result<Rule> rule = parse_rule(file);
  REQUIRE(rule);
  REQUIRE(rule->severity.size() == 2);
  CHECK(rule->severity[0].severity == Severity::error);
  CHECK(rule->severity[0].when.text() == "a > 2");
  CHECK(rule->severity[1].severity == Severity::note);
}

TEST_CASE("the manual of a rule holds its reasons, sources and samples") {
  const Document file = document(kPath, kRule);
  const Result<RuleManual> manual = parse_rule_manual(file);
  REQUIRE(manual);
  CHECK(manual->why == "First line.\nSecond line.\n");
  CHECK(manual->sources == std::vector<std::string>{"a paper"});
  REQUIRE(manual->bad.size() == 1);
  CHECK(manual->bad[0].config == "batch_size: 64\namp: false\n");
  CHECK(manual->bad[0].file_name == "config.yaml");
  CHECK(manual->bad[0].expect == std::vector<std::uint32_t>{2});
  CHECK(manual->bad[0].gpu == "rtx-3090");
  CHECK(manual->bad[0].project == "gpus_per_node: 1\n");
  REQUIRE(manual->bad[0].siblings.size() == 1);
  CHECK(manual->bad[0].siblings[0].first == "other.yaml");
  REQUIRE(manual->ok.size() == 1);
  CHECK(manual->ok[0].file_name == "run.env");
}

TEST_CASE("a syntax error in an expression is pointed at inside the file") {
  const std::string error = error_of(with(kRule, "and gpu.tensor_cores", "and > gpu.tensor_cores"));
  CHECK(error.find("rules/precision/amp-disabled.yaml:4:37: ") == 0);
}

TEST_CASE("mistakes in a rule are named with their place") {
  CHECK(error_of(with(kRule, "severity: warning", "severity: warn"))
            .find("rules/precision/amp-disabled.yaml:2:11: severity: \"warn\" is none of error, "
                  "warning, "
                  "note") == 0);
  CHECK(error_of(with(kRule, "when: mixed_precision == \"none\" and gpu.tensor_cores\n", "")) ==
        "rules/precision/amp-disabled.yaml:1:1: file: \"when\" is missing and the severity has no "
        "conditions");
  CHECK(error_of(with(kRule, "kind: unsafe", "kind: display")) ==
        "rules/precision/amp-disabled.yaml:15:8: set: a fix of kind \"display\" is advice and sets "
        "nothing");
  CHECK(
      error_of(with(
          kRule, "  set: {mixed_precision: '\"bf16\" if gpu.bf16_native else \"fp16\"'}\n", "")) ==
      "rules/precision/amp-disabled.yaml:13:3: fix: a fix of kind \"unsafe\" needs \"set\" or "
      "\"remove\"");
  CHECK(error_of(with(kRule, "      expect: [2]\n", "")) ==
        "rules/precision/amp-disabled.yaml:19:7: item 1 of bad: \"expect\" is missing");
  CHECK(error_of(with(kRule, "    - {config: \"amp: true\\n\", file: run.env}", "    []")) ==
        "rules/precision/amp-disabled.yaml:27:5: ok: needs at least one sample");
}

TEST_CASE("a rule file must be named in kebab-case") {
  const Document rule = document("rules/precision/Amp_Disabled.yaml", kRule);
  const Result<Rule> parsed = parse_rule(rule);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message.find("\"Amp_Disabled\" is not a rule id") == 0);
}

}  // namespace rule_loader_test
