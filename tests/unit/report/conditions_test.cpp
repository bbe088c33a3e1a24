// What a device needs under each condition, and on how many GPUs a run fits, in words and JSON.
#include "report/conditions_json.h"
#include "report/conditions_text.h"
#include "report/diff_report.h"
#include "report/report.h"
#include "unit/report/sample_result.h"
#include "unit/report/written.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

Condition needing(std::vector<SupposedFact> facts, std::int64_t low, std::int64_t high) {
  Condition condition;
  condition.facts = std::move(facts);
  condition.needed = {Bytes::gib(low), Bytes::gib(low), Bytes::gib(high)};
  return condition;
}

std::vector<Condition> two_launches() {
  std::vector<Condition> conditions{
      needing({{"sharding_stage", {"0"}}, {"world_size", {"1", "8"}}}, 107, 112),
      needing({{"sharding_stage", {"3"}}, {"sharding_engine", {"fsdp"}}, {"world_size", {"64"}}},
              24, 26)};
  conditions[0].verdict = {Fit::does_not_fit, true, Deciding::low_end, Bytes::gib(107)};
  conditions[1].verdict = {Fit::fits, true, Deciding::high_end, Bytes::gib(26)};
  return conditions;
}

}  // namespace

TEST_CASE("conditions are said in plain words, aligned, with the verdict on each") {
  CHECK(conditions_text(two_launches()) ==
        "  what the open facts decide (VRAM per device):\n"
        "    no sharding on 1 or 8 GPUs    107 GiB to 112 GiB  does not fit\n"
        "    fsdp stage 3 on 64 GPUs     24.0 GiB to 26.0 GiB  fits\n");
  CHECK(conditions_text({}).empty());
}

TEST_CASE("a condition without an upper end says from where on") {
  std::vector<Condition> conditions{needing({{"image_size", {"224"}}}, 3, 9)};
  conditions[0].lower_bound_only = true;
  conditions[0].bounded_above = false;
  CHECK(conditions_text(conditions) ==
        "  what the open facts decide (VRAM per device):\n    image_size 224  from 3.00 GiB\n");
  const Json json = conditions_json(conditions);
  CHECK(json[0]["low"] == 3LL << 30);
  CHECK(json[0]["central"].is_null());
  CHECK(json[0]["high"].is_null());
}

TEST_CASE("facts that are decided together are one phrase") {
  const auto words = [](std::vector<SupposedFact> facts) {
    return condition_words(needing(std::move(facts), 1, 2));
  };
  CHECK(words({{"mixed_precision", {"none"}}, {"weights_dtype", {"fp32"}}}) == "fp32");
  CHECK(words({{"mixed_precision", {"bf16"}}, {"weights_dtype", {"fp32"}}}) ==
        "bf16 over fp32 weights");
  CHECK(words({{"mixed_precision", {"bf16"}}, {"weights_dtype", {"bf16"}}}) == "bf16 weights");
  CHECK(words({{"sequence_length", {"512"}}, {"variable_input_sizes", {"true"}}}) ==
        "longest batch of 512 tokens");
  CHECK(words({{"sharding_stage", {"2"}},
               {"world_size", {"8"}},
               {"activation_checkpointing", {"none"}}}) ==
        "ZeRO-2 on 8 GPUs, no activation checkpointing");
  CHECK(words({{"world_size", {"1"}}}) == "on 1 GPU");
  CHECK(words({{"world_size", {"1", "8", "64"}}}) == "on 1 to 64 GPUs");
}

TEST_CASE("in JSON every fact of a condition lists the values it holds for, in their own type") {
  const Json json = conditions_json(two_launches());
  REQUIRE(json.size() == 2);
  CHECK(json[0]["facts"].dump() == R"({"sharding_stage":[0],"world_size":[1,8]})");
  CHECK(json[1]["facts"].dump() ==
        R"({"sharding_stage":[3],"sharding_engine":["fsdp"],"world_size":[64]})");
  CHECK(json[0]["low"] == 107LL << 30);
  CHECK(json[0]["high"] == 112LL << 30);
  CHECK(json[0]["verdict"] == "does not fit");
}

TEST_CASE("on how many GPUs a run fits is one sentence") {
  LeastDevices devices{.least = 4, .enough = 8, .certain = false, .available = std::nullopt};
  CHECK(devices_text(devices) ==
        "does not fit on fewer than 4 GPUs of this kind, however its states are split (nothing "
        "moved to the host); ZeRO-3 or FSDP fits from 8 on");
  CHECK(devices_json(devices).dump() ==
        R"({"least":4,"enough":8,"available":null,"certain":false})");
  devices.enough.reset();
  CHECK(devices_text(devices) ==
        "does not fit on fewer than 4 GPUs of this kind, however its states are split (nothing "
        "moved to the host)");
  CHECK(devices_json(std::nullopt).is_null());
}

TEST_CASE("the HTML report shows conditions below the budget") {
  Sample made = sample();
  aim(made);
  made.result.files[0].plans[0].conditions = two_launches();
  const std::string text = written("html", made.result);
  CHECK(text.find("<li>fsdp stage 3 on 64 GPUs: <b>24.0 GiB to 26.0 GiB</b> fits</li>") !=
        std::string::npos);
}

TEST_CASE("a diff says from how many GPUs to how many") {
  ConfigDiff diff;
  diff.before.emplace();
  diff.after.emplace();
  diff.before->enough_devices = 8;
  diff.after->enough_devices = 16;
  const std::vector<DiffRow> rows = diff_rows(diff);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].name == "GPUs, states split");
  CHECK(rows[0].before == "fits from 8 on");
  CHECK(rows[0].change == "from 8 to 16");
}
