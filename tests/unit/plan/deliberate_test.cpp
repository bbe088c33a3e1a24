#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gpulint;

namespace {

bool is_deliberate(const Plan& plan, std::string_view fact) {
  return std::find(plan.deliberate.begin(), plan.deliberate.end(), fact) != plan.deliberate.end();
}

}  // namespace

TEST_CASE("a comment that gives a reason makes a setting deliberate") {
  const Facts reasoned = facts_of(
      "batch_size: 8\nlr: 0.1\nmixed_precision: \"no\"   # fp32 for numerical stability\n");
  CHECK(is_deliberate(reasoned.plan, "mixed_precision"));
  CHECK_FALSE(is_deliberate(reasoned.plan, "learning_rate"));
  const Facts described =
      facts_of("batch_size: 8\nlr: 0.1\nmixed_precision: \"no\"   # no, fp16 or bf16\n");
  CHECK_FALSE(is_deliberate(described.plan, "mixed_precision"));
}

TEST_CASE("what another phase of the file sets otherwise is deliberate") {
  const std::vector<Plan> plans = plans_of(
      "stage1:\n  batch_size: 8\n  lr: 0.1\n  epochs: 3\n  amp: true\n"
      "stage2:\n  batch_size: 8\n  lr: 0.1\n  epochs: 3\n  amp: false\n");
  REQUIRE(plans.size() == 2);
  CHECK(is_deliberate(plans[1], "mixed_precision"));
  CHECK_FALSE(is_deliberate(plans[1], "learning_rate"));
}

TEST_CASE("a batch that its comment counts in tokens is no number of samples") {
  const auto batch = [](const std::string& comment) {
    const std::string text = "batch_size: 4096  # " + comment + "\nlr: 0.1\nepochs: 3\n";
    return facts_of(text)["per_device_batch_size"];
  };
  CHECK(batch("number of tokens per batch (source/target)") == "");
  CHECK(batch("in tokens") == "");
  CHECK(batch("sequences, 4M tokens per batch") == "4096");
  CHECK(batch("per GPU") == "4096");
}

TEST_CASE("full precision that a file or its folder is called after is deliberate") {
  const auto is_meant = [](const std::string& path) {
    const std::string text = "batch_size: 8\nlr: 0.1\nepochs: 3\namp: false\n";
    return is_deliberate(facts_of(text, path).plan, "mixed_precision");
  };
  CHECK(is_meant("configs/mae_noamp.yaml"));
  CHECK(is_meant("configs/vit_fp32/train.yaml"));
  CHECK_FALSE(is_meant("configs/mae_amp.yaml"));
}

TEST_CASE("a parameter that a scheduler does not take is observed with the code that refuses it") {
  const Facts facts = facts_of(
      "{\"train_micro_batch_size_per_gpu\": 8, \"scheduler\": {\"type\": \"WarmupCosineLR\", "
      "\"params\": {\"warmup_max_lr\": 0.1, \"warmup_num_steps\": 10}}}",
      "ds.json");
  CHECK(facts.observed("refused_keys") == std::vector<std::string>{"warmup_max_lr=WarmupCosineLR"});
}

TEST_CASE("a comment that calls the batch of all GPUs one of a device is observed") {
  const auto comments = [](const std::string& comment) {
    return facts_of("global_train_batch_size: 2048  # " + comment +
                    "\ndevice_train_microbatch_size: 32\nmax_duration: 10ep\n")
        .observed("contradicted_comments")
        .size();
  };
  CHECK(comments("batch size per device") == 1);
  CHECK(comments("256 per device x 8") == 0);
  CHECK(comments("over all devices") == 0);
}

namespace {

/// "path=value" of the keys that nobody understood.
std::vector<std::string> unread_of(std::string text) {
  const Document document = document_of(std::move(text));
  PlanRequest request;
  request.document = &document;
  request.recognition = recognised(document);
  request.explains = true;
  const std::vector<Plan> plans = make_plans(request);
  std::vector<std::string> unread;
  for (const Observation& item : plans.front().observations) {
    if (item.list == "unread_keys") unread.push_back(item.name + "=" + item.value);
  }
  return unread;
}

}  // namespace

TEST_CASE("keys that no fact came from are listed where they are asked for") {
  CHECK(unread_of("batch_size: 8\nlr: 0.1\nmodel:\n  widths: [1, 2]\n  flavour: plain\n") ==
        std::vector<std::string>{"model.widths=[1, 2]", "model.flavour=plain"});
}

TEST_CASE("keys that a dialect names, and sections it calls foreign, are understood") {
  CHECK(unread_of("parallelism: {dp: 2, tp: 1, pp: 1}\ntokens: {micro_batch_size: 2}\n"
                  "lighteval: {batch_size: 16}\ncolour: blue\n") ==
        std::vector<std::string>{"colour=blue"});
  CHECK(unread_of("MODEL: {DROP_PATH_RATE: 0.2}\nTRAIN: {BASE_LR: 1.0e-3, WARMUP_LR: 1.0e-6}\n"
                  "DATA: {BATCH_SIZE: 64}\n") ==
        std::vector<std::string>{"MODEL.DROP_PATH_RATE=0.2"});
}
