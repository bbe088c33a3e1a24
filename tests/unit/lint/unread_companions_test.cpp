// A launcher's file that a config names and that is not in the project.

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <string>

namespace unread_companions_test {

using namespace gpulint;

namespace {

constexpr const char* kSft =
    "model_name_or_path: meta-llama/Llama-3.1-70B\nper_device_train_batch_size: 1\n"
    "max_seq_length: 2048\nlearning_rate: 5.0e-6\nnum_train_epochs: 2\npacking: true\n"
    "gradient_checkpointing: true\nbf16: true\noptim: adamw_torch\n";

LintResult linted(const std::string& more, const MemoryReader::Files& beside = {}) {
  MemoryReader::Files files = beside;
  files["sft.yaml"] = kSft + more;
  const MemoryReader reader(files);
  LintRequest request;
  request.paths = {"sft.yaml"};
  request.options.keep_plans = true;
  request.options.gpu = "a100-sxm4-80gb";
  return lint(session_over(reader), request);
}

const PlanReport& plan_of(const LintResult& result) {
  REQUIRE(result.files.size() == 1);
  REQUIRE(result.files.front().plans.size() == 1);
  return result.files.front().plans.front();
}

bool asks_for_gpus(const LintResult& result) {
  for (const Finding& each : result.findings) {
    if (each.rule == "more-gpus-needed-for-states") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("what a file that nobody could read may move to the host is not certain to be on a GPU") {
  CHECK(asks_for_gpus(linted("")));
  const LintResult absent = linted("deepspeed: ds/zero3.json\n");
  CHECK_FALSE(asks_for_gpus(absent));
  CHECK(plan_of(absent).run->may_offload());
  const LintResult read = linted("deepspeed: ds/zero3.json\n",
                                 {{"ds/zero3.json", R"({"zero_optimization": {"stage": 3}})"}});
  CHECK_FALSE(plan_of(read).run->may_offload());
}

TEST_CASE("on one GPU such a file may leave no state of the weights there") {
  const Bytes in_16_bits = Bytes::of(2 * 70'553'706'496LL);
  const LintResult alone = linted("sharding_stage: 0\n");
  CHECK(plan_of(alone).estimate.vram.has_value());
  const std::string named = "deepspeed: ds/zero2.json\n";
  const LintResult absent = linted(named, {{".gpulint.yaml", "facts: {world_size: 1}\n"}});
  CHECK(plan_of(absent).estimate.vram->needed.low < in_16_bits);
}

}  // namespace unread_companions_test
