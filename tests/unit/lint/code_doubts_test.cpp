// What code may decide under a condition that nobody can tell, or in a program that was not
// followed to its training, is assumed by nobody.

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <string>

namespace code_doubts_test {

using namespace gpulint;

namespace {

constexpr std::int64_t kParameters = 3'212'749'824;

/// The low end of a run whose weights are in 4 bits where `condition` holds, trained by `training`.
Bytes needed(const std::string& condition, const std::string& training,
             const std::string& options = "") {
  const MemoryReader reader(
      {{"train.py",
        "import argparse\nimport torch, yaml\n"
        "from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, "
        "TrainingArguments\n"
        "from elsewhere import data, is_large, start\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--config')\n"
        "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
        "    few = None\n"
        "    if " +
            condition +
            ":\n"
            "        few = BitsAndBytesConfig(load_in_4bit=True)\n"
            "    model = AutoModelForCausalLM.from_pretrained(cfg['model'], "
            "quantization_config=few" +
            options +
            ")\n"
            "    args = TrainingArguments(output_dir='out', learning_rate=cfg['lr'], "
            "per_device_train_batch_size=cfg['batch_size'], num_train_epochs=cfg['epochs'])\n" +
            training +
            "if __name__ == '__main__':\n    main()\n"},
       {"configs/a.yaml",
        "lr: 0.001\nbatch_size: 8\nepochs: 3\nmodel: meta-llama/Llama-3.2-3B\noptimizer: adamw\n"
        "weights_dtype: bf16\nmixed_precision: none\nfew: false\n"}});
  LintRequest request;
  request.paths = {"configs/a.yaml"};
  request.options.keep_plans = true;
  request.options.facts = {{"world_size", "1"}, {"sharding_stage", "0"}};
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == 1);
  REQUIRE(result.files.front().plans.size() == 1);
  const PlanReport& plan = result.files.front().plans.front();
  REQUIRE(plan.estimate.vram);
  return plan.estimate.vram->total.low;
}

/// A script of its own loop that trains `net` with `opt`, as `made` from its fourth line on.
std::string loop_over(const std::string& made) {
  return "import os, torch, yaml\nif __name__ == '__main__':\n"
         "  cfg = yaml.safe_load(open('a.yaml'))\n" +
         made +
         "  for x in torch.utils.data.DataLoader(data, cfg['batch_size']):\n"
         "    net(x).backward()\n    opt.step()\n";
}

std::string fact_of_loop(const std::string& made, const std::string& fact) {
  return Project({{".git/HEAD", ""},
                  {"a.yaml", "batch_size: 8\nepochs: 3\nwidth: 4\n"},
                  {"train.py", loop_over(made)}},
                 "a.yaml")
      .fact(fact);
}

constexpr const char* kTrainer =
    "    trainer = Trainer(model=model, args=args, train_dataset=data())\n"
    "    trainer.train()\n";
constexpr const char* kElsewhere = "    start(model, cfg)\n";

}  // namespace

TEST_CASE("a program that loads its config where an option says what is trained is read with it") {
  const auto workers = [](const std::string& rest) {
    return Project({{".git/HEAD", ""},
                    {"config.json", "{\"batch_size\": 8,\n \"lr\": 0.1, \"hands\": 3}\n"},
                    {"train.py",
                     "import argparse, json, torch\n"
                     "def fit():\n    with open('./config.json') as f:\n"
                     "        h = json.load(f)\n"
                     "    torch.utils.data.DataLoader(make('train'), num_workers=h['hands'])\n" +
                         rest +
                         "if __name__ == '__main__':\n    p = argparse.ArgumentParser()\n"
                         "    p.add_argument('--part')\n    args = p.parse_args()\n"
                         "    if args.part == 'all':\n        fit()\n"}},
                   "config.json")
        .fact("num_workers");
  };
  CHECK(workers("    torch.optim.SGD(net(), lr=h['lr'])\n") == "3 stated config.json:2");
  CHECK(workers("    print(h)\n") == "unknown");
}

TEST_CASE("a switch that quantizes, in whatever section, leaves the format of the weights open") {
  const auto may_be_quantized = [](const std::string& value) {
    const Project project(
        {{"a.yaml",
          "model_name_or_path: Qwen/Qwen2.5-3B\nper_device_train_batch_size: 4\n"
          "learning_rate: 1.0e-5\nnum_train_epochs: 1\nfast: {load_in_4bit: " +
              value + "}\n"}},
        "a.yaml");
    REQUIRE(!project.result.files.empty());
    REQUIRE(!project.result.files.front().plans.empty());
    REQUIRE(project.result.files.front().plans.front().run);
    return project.result.files.front().plans.front().run->may_be_quantized();
  };
  CHECK(may_be_quantized("true"));
  CHECK_FALSE(may_be_quantized("false"));
}

TEST_CASE("a rate of 1 beside a schedule that is a function may be multiplied with the rate") {
  const auto rate = [](const std::string& lr) {
    return fact_of_loop("  opt = torch.optim.Adam(net.parameters(), lr=" + lr +
                            ")\n  schedule = torch.optim.lr_scheduler.LambdaLR(opt, "
                            "lr_lambda=lambda step: curve(step))\n",
                        "learning_rate");
  };
  CHECK(rate("1.0") == "unknown");
  CHECK(rate("0.1") == "0.1 code train.py:4");
}

TEST_CASE("an adapter that code may make is open, and none is assumed") {
  const auto adapter = [](const std::string& condition) {
    return fact_of_loop(
        "  from peft import LoraConfig, PeftModel, get_peft_model\n  if " + condition +
            ":\n    net = PeftModel.from_pretrained(base, 'out')\n"
            "  else:\n    net = get_peft_model(base, LoraConfig(r=8))\n"
            "  opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
        "adapter");
  };
  CHECK(adapter("os.path.exists('out')") == "unknown");
  CHECK(adapter("False").starts_with("lora"));
}

TEST_CASE("a model that is spread over the devices it finds has no certain share of one") {
  CHECK(needed("False", kTrainer) > Bytes::of(kParameters * 6));
  CHECK(needed("False", kTrainer, ", device_map='auto'") < Bytes::of(kParameters));
  CHECK(needed("False", kTrainer, ", device_map='cuda:0'") > Bytes::of(kParameters * 6));
}

TEST_CASE("weights that code may quantize have no certain states") {
  const Bytes in_two_bits = Bytes::of(kParameters / 4);
  const Bytes trained = Bytes::of(kParameters * 6);  // weights, gradients and more, in 16 bits
  CHECK(needed("cfg['few']", kTrainer) > trained);
  for (const char* training : {kTrainer, kElsewhere}) {
    const Bytes low = needed("is_large(cfg['model'])", training);
    CHECK(low > in_two_bits);
    CHECK(low < Bytes::of(kParameters));
  }
}

}  // namespace code_doubts_test
