#include "report/report.h"

#include "report/style.h"
#include "unit/report/golden.h"
#include "unit/report/sample_result.h"
#include "unit/report/written.h"

#include <doctest/doctest.h>

#include <memory>

using namespace gpulint;

TEST_CASE("the text report shows excerpt, numbers, fix, related places, budget and counts") {
  Sample all = sample();
  aim(all);
  check_golden("report.txt", written("text", all.result));
}

TEST_CASE("verbose adds the skipped files, colour adds colour") {
  Sample all = sample();
  aim(all);
  check_golden("report_verbose_color.txt",
               written("text", all.result, {}, {.color = true, .verbose = true}));
}

TEST_CASE("the concise report is one line per finding") {
  const Sample all = sample();
  check_golden("report_concise.txt", written("concise", all.result));
}

TEST_CASE("the JSON report follows gpulint/1") {
  const Sample all = sample();
  check_golden("report.json", written("json", all.result));
}

TEST_CASE("the estimate is shown as bars with the numbers nvidia-smi will print") {
  Sample all = sample();
  aim(all);
  check_golden("estimate.txt", estimate_text(all.result.files[0], {}));
}

TEST_CASE("the estimate is one JSON object for one run, and a list for several") {
  Sample all = sample();
  aim(all);
  check_golden("estimate.json", estimate_json({&all.result.files[0], 1}));
  CHECK(estimate_json(all.result.files).front() == '[');
}

TEST_CASE("facts name their value, unit, origin and place") {
  Sample all = sample();
  LintResult& result = all.result;
  Plan plan;
  plan.path = "configs/a.yaml";
  const SourceSpan batch = span_of(result, 0, "256");
  plan.facts.per_device_batch_size = {256, {.span = batch, .pointer = "/batch_size"}};
  plan.facts.mixed_precision = {"none", {.origin = Origin::dialect_default, .detail = "train.py"}};
  plan.facts.sample_bytes = {Bytes::of(600'000), {.origin = Origin::project}};
  plan.facts.learning_rate = {0.5, {.span = span_of(result, 1, "2e-5")}};
  result.files[0].plans[0].plan = std::make_shared<Plan>(plan);
  check_golden("facts.txt", facts_text(result.files[0], result, {}));
  check_golden("facts.json", facts_json(result.files[0], result, {}));
}

TEST_CASE("facts of a file that is not a training config say why") {
  const Sample all = sample();
  CHECK(facts_text(all.result.files[2], all.result, {}) == "package.json: no training keys\n");
}

TEST_CASE("silence is explained by what was missing") {
  Sample all = sample();
  all.result.files[1].plans[0].silences = {{"vram-over-budget", {"vram.low"}},
                                           {"amp-disabled", {}}};
  all.result.files[0].plans.clear();
  CHECK(silence_text(all.result, "vram-over-budget") ==
        "configs/b\\x1b.yaml (phase finetune): vram-over-budget: unknown: vram.low; name a target "
        "with --gpu ID or --host ID\n");
  all.result.files[1].plans[0].silences.push_back(
      {"no-loader-workers", {"lr.off_by"}, {"reference_batch_size"}});
  CHECK(silence_text(all.result, "no-loader-workers") ==
        "configs/b\\x1b.yaml (phase finetune): no-loader-workers: unknown: reference_batch_size; "
        "state it with --set reference_batch_size=VALUE, or under facts in .gpulint.yaml\n");
  all.result.files[1].plans[0].silences.push_back(
      {"minimum-rate-above-peak", {}, {}, {"min_learning_rate"}});
  CHECK(silence_text(all.result, "minimum-rate-above-peak") ==
        "configs/b\\x1b.yaml (phase finetune): minimum-rate-above-peak: its condition is false: "
        "min_learning_rate is not stated\n");
  CHECK(silence_text(all.result, "amp-disabled") ==
        "configs/b\\x1b.yaml (phase finetune): amp-disabled: all it needs is known, and its "
        "condition is false\n");
  CHECK(
      silence_text(all.result, "tf32-off") ==
      "configs/b\\x1b.yaml (phase finetune): tf32-off: the rule did not run (it is disabled, or a "
      "preview)\n");
}
