// Networks that an engine or a trainer of a library calls.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_engines_test {

using namespace gpulint;

namespace {

constexpr const char* kNet = R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.head = nn.Linear(64, 1000)
    def forward(self, input_ids, labels=None):
        return F.cross_entropy(self.head(self.words(input_ids)).view(-1, 1000), labels)
)";

/// A script that makes the network and hands it to `rest`.
const model::ModelLibrary::Found* found_in(const std::string& rest, Followed& run) {
  const std::string code = std::string("import argparse\nimport torch, yaml\n"
                                       "import torch.nn as nn\nimport torch.nn.functional as F\n") +
                           kNet +
                           "\ndef main():\n"
                           "    parser = argparse.ArgumentParser()\n"
                           "    parser.add_argument('--config')\n"
                           "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
                           "    net = Net()\n" +
                           rest + "\n\nif __name__ == '__main__':\n    main()\n";
  MemoryReader reader(
      {{"train.py", code}, {"configs/a.yaml", "lr: 0.001\nbatch_size: 8\nepochs: 3\n"}});
  LintRequest request;
  request.paths = {"configs/a.yaml"};
  request.options.keep_plans = true;
  run.result = lint(session_over(reader), request);
  if (!run.result.files.empty() && !run.result.files.front().plans.empty())
    run.report = &run.result.files.front().plans.front();
  return run.model();
}

}  // namespace

TEST_CASE("an engine calls the network that it was made of") {
  Followed run;
  const auto* found = found_in(
      "    import deepspeed\n"
      "    optimizer = torch.optim.AdamW(net.parameters(), lr=cfg['lr'])\n"
      "    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])\n"
      "    engine, optimizer, _, _ = deepspeed.initialize(model=net, optimizer=optimizer)\n"
      "    for epoch in range(cfg['epochs']):\n"
      "        for x, y in loader:\n"
      "            loss = engine(x, y)\n"
      "            engine.backward(loss)\n"
      "            engine.step()\n",
      run);
  REQUIRE(found != nullptr);
  CHECK(found->followed > 0);
  CHECK(found->missing.empty());
}

TEST_CASE("what apex gives back is the network that it is given") {
  Followed run;
  const auto* found = found_in(
      "    from apex import amp\n"
      "    optimizer = torch.optim.AdamW(net.parameters(), lr=cfg['lr'])\n"
      "    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])\n"
      "    net, optimizer = amp.initialize(net, optimizer, opt_level='O1')\n"
      "    for epoch in range(cfg['epochs']):\n"
      "        for x, y in loader:\n"
      "            with amp.scale_loss(net(x, y), optimizer) as loss:\n"
      "                loss.backward()\n"
      "            optimizer.step()\n",
      run);
  REQUIRE(found != nullptr);
  CHECK(found->followed > 0);
  CHECK(found->missing.empty());
}

TEST_CASE("a trainer calls the network with the entries of a batch") {
  for (const char* const trainer :
       {"    from transformers import Trainer\n",
        "    from transformers import Trainer as Base\n"
        "    class Trainer(Base):\n"
        "        def compute_loss(self, model, inputs, return_outputs=False):\n"
        "            return model(inputs['input_ids'], labels=inputs['labels'])\n"}) {
    CAPTURE(trainer);
    Followed run;
    const auto* found = found_in(
        std::string("    from transformers import TrainingArguments\n") + trainer +
            "    args = TrainingArguments(output_dir='out', learning_rate=cfg['lr'],\n"
            "                             per_device_train_batch_size=cfg['batch_size'])\n"
            "    trainer = Trainer(model=net, args=args, train_dataset=data())\n"
            "    trainer.train()\n",
        run);
    REQUIRE(found != nullptr);
    CHECK(found->followed > 0);
    CHECK(found->missing.empty());
  }
}

}  // namespace followed_engines_test
