#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpulint;
using Words = std::vector<std::string>;

TEST_CASE("a flat in-house config is read key by key") {
  const Facts facts = facts_of(
      "batch_size: 256\nnum_workers: 12\nprefetch_factor: 3\npin_memory: true\n"
      "persistent_workers: true\ncompile_model: true\nmixup_alpha: 0.0\ncutmix_alpha: 0.2\n"
      "label_smoothing: 0.1\nlr: 0.5\nprecision: 16-mixed\noptimizer: SGD\nepochs: 90\n"
      "image_size: 224\nchannels_last: true\ncudnn_benchmark: true\nnon_blocking: true\n");
  CHECK(facts["per_device_batch_size"] == "256");
  CHECK(facts["num_workers"] == "12");
  CHECK(facts["prefetch_factor"] == "3");
  CHECK(facts["pin_memory"] == "true");
  CHECK(facts["persistent_workers"] == "true");
  CHECK(facts["compile"] == "true");
  CHECK(facts["mixup"] == "0");
  CHECK(facts["cutmix"] == "0.2");
  CHECK(facts["label_smoothing"] == "0.1");
  CHECK(facts["learning_rate"] == "0.5");
  CHECK(facts["mixed_precision"] == "fp16");
  CHECK(facts["optimizer"] == "sgd");
  CHECK(facts["epochs"] == "90");
  CHECK(facts["channels_last"] == "true");
  CHECK(facts["cudnn_benchmark"] == "true");
  CHECK(facts["non_blocking"] == "true");
}

TEST_CASE("export lines are read like keys") {
  const Facts facts = facts_of(
      "#!/bin/bash\nexport BATCH_SIZE=32\nexport VAL_BATCH_SIZE=16\nNUM_WORKERS=16\n"
      "export AMP=true\nexport OMP_NUM_THREADS=4\n",
      "run.env");
  CHECK(facts["per_device_batch_size"] == "32");
  CHECK(facts["eval_batch_size"] == "16");
  CHECK(facts["num_workers"] == "16");
  CHECK(facts["mixed_precision"] == "enabled");
  CHECK(facts["omp_num_threads"] == "4");
}

TEST_CASE("AMP=0 in the environment is off") {
  CHECK(facts_of("BATCH_SIZE=4\nAMP=0\n", "a.env")["mixed_precision"] == "none");
}

TEST_CASE("sections, nested optimizers and class names are understood") {
  const Facts facts = facts_of(
      "data:\n  batch_size: 4\n  num_workers: 8\ntraining:\n  num_epochs: 20\n"
      "  optimizer:\n    _target_: torch.optim.AdamW\n    lr: 1.0e-3\n");
  CHECK(facts["per_device_batch_size"] == "4");
  CHECK(facts["num_workers"] == "8");
  CHECK(facts["epochs"] == "20");
  CHECK(facts["optimizer"] == "adamw");
  CHECK(facts["learning_rate"] == "0.001");
}

TEST_CASE("the name of a file is the name of no optimizer and no schedule") {
  const Facts facts = facts_of(
      "batch_size: 4\nlr: 0.001\nepochs: 2\noptimizer: configs/optim/adam.yaml\nscheduler: step.yaml\n");
  CHECK(facts["optimizer"].empty());
  CHECK(facts["lr_schedule"].empty());
}

TEST_CASE("bare keys of evaluation and inference sections state nothing") {
  const Facts facts =
      facts_of("training:\n  batch_size: 32\n  lr: 0.1\ninference:\n  batch_size: 512\n");
  CHECK(facts["per_device_batch_size"] == "32");
}

TEST_CASE("an index is not a count of GPUs") {
  CHECK(facts_of("batch_size: 4\nlr: 1\ngpu: 0\n")["gpus_per_node"].empty());
  CHECK(facts_of("batch_size: 4\nlr: 1\ngpus: 0\n")["gpus_per_node"].empty());
}

TEST_CASE("device lists count their items") {
  const auto devices = [](const std::string& value) {
    return facts_of("trainer:\n  max_epochs: 1\n  devices: " + value + "\n")["gpus_per_node"];
  };
  CHECK(devices("4") == "4");
  CHECK(devices("[0, 1]") == "2");
  CHECK(devices("\"0,1,2\"") == "3");
  CHECK(devices("0,") == "1");
  CHECK(devices("-1").empty());
  CHECK(devices("auto").empty());
  CHECK(devices("0").empty());
}

TEST_CASE("null, auto, placeholders and unresolved references are unknown") {
  for (const char* value : {"", "null", "~", "auto", "???", "${oc.env:BS}", "<batch>", "None"}) {
    const Facts facts = facts_of(std::string("lr: 0.1\nepochs: 3\nbatch_size: ") + value + "\n");
    CHECK_MESSAGE(facts["per_device_batch_size"].empty(), value);
    CHECK(facts.observed("bad_values").empty());
  }
}

TEST_CASE("a mapping where a number is expected is unknown") {
  const Facts facts = facts_of("lr: 0.1\nepochs: 3\nbatch_size: {labeled: 6, unlabeled: 2}\n");
  CHECK(facts["per_device_batch_size"].empty());
}

TEST_CASE("references are followed to the value they name") {
  const Facts facts = facts_of("bs: 64\nlr: 0.1\ndata:\n  batch_size: ${bs}\n");
  CHECK(facts["per_device_batch_size"] == "64");
  CHECK(facts.plan.facts.per_device_batch_size->from.pointer == "/bs");
}

TEST_CASE("impossible numbers are observed and not set") {
  const Facts facts = facts_of("batch_size: -8\nlr: 1e300\nnum_workers: .nan\nepochs: 3\n");
  CHECK(facts["per_device_batch_size"].empty());
  CHECK(facts["learning_rate"].empty());
  CHECK(facts["num_workers"].empty());
  CHECK(facts.observed("bad_values") == Words{"batch_size=-8", "lr=1e300", "num_workers=.nan"});
}

TEST_CASE("two keys that contradict each other leave the fact unknown") {
  const Facts facts =
      facts_of("training:\n  use_amp: true\n  lr: 0.1\nhardware:\n  mixed_precision: false\n");
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts.observed("conflicting_keys").size() == 1);
}

TEST_CASE("the half kind beside an AMP switch says which precision it means") {
  CHECK(facts_of("use_amp: true\namp_dtype: bfloat16\nlr: 1\n")["mixed_precision"] == "bf16");
  CHECK(facts_of("use_amp: false\namp_dtype: bfloat16\nlr: 1\n")["mixed_precision"] == "none");
  CHECK(facts_of("lr: 1\nepochs: 2\namp: {enabled: true, dtype: float16}\n")["mixed_precision"] ==
        "fp16");
}

TEST_CASE("numbers PyYAML reads as strings are observed where nobody casts them") {
  CHECK(facts_of("lr: 2e-5\nbatch_size: 4\n").observed("string_numbers") == Words{"lr=2e-5"});
  CHECK(facts_of("lr: 2.0e-5\nbatch_size: 4\n").observed("string_numbers").empty());
  CHECK(facts_of("lr: \"2e-5\"\nbatch_size: 4\n").observed("string_numbers").empty());
  CHECK(facts_of("trainer: {max_epochs: 1, devices: 1}\nlr: 2e-5\n")
            .observed("string_numbers")
            .empty());
}

TEST_CASE("the last duplicate counts and the lost one is observed") {
  const Facts facts = facts_of("lr: 0.1\nbatch_size: 4\nlr: 0.2\n");
  CHECK(facts["learning_rate"] == "0.2");
  REQUIRE(facts.observed("duplicate_keys") == Words{"lr=0.1"});
  CHECK(facts.plan.observations.front().fact == "learning_rate");
  CHECK(facts.plan.observations.front().detail == "0.2");
}

TEST_CASE("a file of several phases gives a plan each") {
  const std::vector<Plan> plans = plans_of(
      "weight_decay: 0.1\nlr: 9\nstage1: {batch: 256, lr: 1.0e-3}\nstage2: {batch: 16, lr: "
      "2e-4}\n");
  REQUIRE(plans.size() == 2);
  CHECK(plans[0].phase == "stage1");
  CHECK(plans[0].facts.per_device_batch_size->value == 256);
  CHECK(plans[1].phase == "stage2");
  CHECK(plans[1].facts.per_device_batch_size->value == 16);
  CHECK(plans[1].facts.learning_rate->value == 2e-4);
  CHECK(plans[1].facts.weight_decay->value == 0.1);
}

TEST_CASE("facts of the project fill what the config leaves unknown") {
  const Document document = document_of("batch_size: 8\nlr: 0.1\n");
  const std::vector<std::pair<std::string, std::pair<std::string, SourceSpan>>> project = {
      {"per_device_batch_size", {"64", {}}}, {"gpus_per_node", {"4", {}}}, {"nodes", {"2", {}}}};
  PlanRequest request;
  request.document = &document;
  request.recognition = recognised(document);
  request.project_facts = project;
  const Plan plan = make_plans(request).front();
  CHECK(plan.facts.per_device_batch_size->value == 8);
  CHECK(plan.facts.gpus_per_node->from.origin == Origin::project);
  CHECK(plan.facts.world_size->value == 8);
  CHECK(plan.facts.global_batch_size->value == 64);
}

TEST_CASE("facts of the command line win over the config and over the project's") {
  const Document document = document_of("batch_size: 8\nlr: 0.1\ngpus: 2\n");
  const std::vector<std::pair<std::string, std::pair<std::string, SourceSpan>>> project = {
      {"per_device_batch_size", {"32", {}}}, {"nodes", {"2", {}}}};
  const std::vector<std::pair<std::string, std::string>> command_line = {
      {"per_device_batch_size", "64"}, {"nodes", "1"}, {"gpus_per_node", "4"}};
  PlanRequest request;
  request.document = &document;
  request.recognition = recognised(document);
  request.project_facts = project;
  request.overruling_facts = command_line;
  const Plan plan = make_plans(request).front();
  CHECK(plan.facts.per_device_batch_size->value == 64);
  CHECK(plan.facts.per_device_batch_size->from.origin == Origin::project);
  CHECK(plan.facts.gpus_per_node->value == 4);
  CHECK(plan.facts.nodes->value == 1);
  CHECK(plan.facts.global_batch_size->value == 256);
}

TEST_CASE("hostile files cost bounded work and say what was left out") {
  std::string phases = "lr: 0.1\nepochs: 1\n";
  for (int i = 0; i < 300; ++i) {
    phases += "stage" + std::to_string(i) + ": {batch_size: 4, lr: 0.1}\n";
  }
  const std::vector<Plan> plans = plans_of(phases);
  CHECK(plans.size() == 64);
  CHECK(plans.front().observations.back().list == "limits");

  std::string duplicates = "batch_size: 4\n";
  for (int i = 0; i < 3000; ++i) duplicates += "lr: 0.1\n";
  const std::vector<Plan> repeated = plans_of(duplicates);
  CHECK(repeated.front().observations.size() == 1001);
  CHECK(repeated.front().observations.back().list == "limits");

  const std::string digits(100'000, '9');
  const Facts facts = facts_of("lr: 0.1\nepochs: 1\nbatch_size: " + digits + "\n");
  CHECK(facts["per_device_batch_size"].empty());
  REQUIRE_FALSE(facts.plan.observations.empty());
  CHECK(facts.plan.observations.back().value.size() == 60);
}

TEST_CASE("an alias bomb does not hide the keys after it") {
  std::string text = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {";
    for (int j = 0; j < 9; ++j) text += "k" + std::to_string(j) + ": " + below + ", ";
    text += "}\n";
  }
  const Facts facts = facts_of(text + "lr: 0.1\ntraining: {batch_size: 8}\n");
  CHECK(facts["learning_rate"] == "0.1");
  CHECK(facts["per_device_batch_size"] == "8");
  CHECK(facts.plan.observations.back().list == "limits");
}

TEST_CASE("values of the project file that do not fit are observed") {
  const Document document = document_of("batch_size: 8\nlr: 0.1\n");
  const std::vector<std::pair<std::string, std::pair<std::string, SourceSpan>>> project = {
      {"ram", {"62", {3, 10, 12}}}};
  PlanRequest request;
  request.document = &document;
  request.recognition = recognised(document);
  request.project_facts = project;
  const Plan plan = make_plans(request).front();
  CHECK_FALSE(plan.facts.ram);
  REQUIRE(plan.observations.size() == 1);
  CHECK(plan.observations[0].list == "bad_values");
  CHECK(plan.observations[0].span.file == 3);
}

TEST_CASE("a file of nothing but phases is recognised by what stands in them") {
  CHECK(plans_of("stage1: {lr: 1.0e-3, epochs: 3}\nstage2: {lr: 2.0e-4, batch: 16}\n").size() == 2);
}

TEST_CASE("a clip's bytes are unknown although its pictures' size is stated") {
  CHECK(facts_of("batch_size: 2\nlr: 0.1\nimage_size: 32\nframes: 16\n")["sample_bytes"].empty());
  CHECK(facts_of("batch_size: 2\nlr: 0.1\nimage_size: 32\n")["batch_bytes"] == "24576 B");
}

TEST_CASE("a config that inherits from another states only what is written") {
  const Facts facts = facts_of("_base_: base.yaml\ntraining: {batch_size: 8, use_amp: true}\n");
  CHECK(facts["mixed_precision"] == "enabled");
  CHECK(facts["weights_dtype"].empty());
}
