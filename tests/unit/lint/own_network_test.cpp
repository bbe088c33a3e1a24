// A model that the config or a call names, in a project that trains a network of its own.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace own_network_test {

using namespace gpulint;

namespace {

constexpr const char* kConfig =
    "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 224\nmodel: vit_large_patch16_224\n";

constexpr std::int64_t kWeights = 304'326'632LL * 4;  // bytes, of that model in fp32

/// A network with a layer that nobody knows, whose encoder is `encoder`.
std::string around(const std::string& encoder) {
  return "import timm\nfrom elsewhere import Mixer\n"
         "class Policy(nn.Module):\n"
         "    def __init__(self, encoder):\n"
         "        super().__init__()\n"
         "        self.encoder = encoder\n"
         "        self.mixer = Mixer(1024)\n"
         "        self.head = nn.Linear(1024, 2)\n"
         "    def forward(self, x):\n"
         "        return self.head(self.mixer(self.encoder(x)))\n"
         "def make(cfg):\n"
         "    return Policy(" +
         encoder + ")\n";
}

VramEstimate estimated(const std::string& network, const std::string& made,
                       const std::string& config = kConfig) {
  const Followed run = followed(network, made, kStep, config);
  REQUIRE(run.report != nullptr);
  REQUIRE(run.report->estimate.vram);
  return *run.report->estimate.vram;
}

}  // namespace

TEST_CASE("a network that a call loads and the optimizer gets as it is has both bounds") {
  const VramEstimate whole = estimated("import timm\n", "timm.create_model(cfg['model'])");
  CHECK(whole.bounded_above);
  CHECK(whole.total.low > Bytes::of(3 * kWeights));
}

TEST_CASE("a model in a network that nobody could follow counts its weights, and no states") {
  const VramEstimate part = estimated(around("timm.create_model(cfg['model'])"), "make(cfg)");
  CHECK_FALSE(part.bounded_above);
  CHECK(part.total.low >= Bytes::of(kWeights));
  CHECK(part.total.low < Bytes::of(2 * kWeights));
  CHECK(part.explanation.find("what Policy makes of it") != std::string::npos);
}

TEST_CASE("a model that nothing was seen to load may be no part of what is trained") {
  const VramEstimate open = estimated(around("open_encoder(cfg['model'])"), "make(cfg)");
  CHECK_FALSE(open.bounded_above);
  CHECK(open.total.low < Bytes::of(kWeights));
}

TEST_CASE("a callback that freezes leaves open what is trained of the model") {
  const auto lowest = [](const std::string& callback) {
    const MemoryReader reader(
        {{"a.yaml",
          "trainer:\n  _target_: pytorch_lightning.Trainer\n  max_epochs: 9\n  devices: 1\n"
          "model: {name: vit_large_patch16_224, optimizer: adam, lr: 0.001}\n"
          "data: {batch_size: 8, image_size: 224}\n"
          "callbacks:\n  first:\n    _target_: project.calls." + callback + "\n"}});
    LintRequest request;
    request.paths = {"a.yaml"};
    request.options.keep_plans = true;
    const LintResult result = lint(session_over(reader), request);
    REQUIRE(result.files.size() == 1);
    REQUIRE(result.files.front().plans.size() == 1);
    REQUIRE(result.files.front().plans.front().estimate.vram);
    return result.files.front().plans.front().estimate.vram->total.low;
  };
  CHECK(lowest("Checkpoint") > Bytes::of(4 * kWeights));
  CHECK(lowest("MilestonesFinetuning") < Bytes::of(2 * kWeights));
}

TEST_CASE("a geometry that the config states is that of the project's own network") {
  const std::string config =
      "lr: 0.001\nbatch_size: 8\nepochs: 3\nn_layer: 24\nn_head: 16\nn_embd: 1024\n"
      "block_size: 512\nvocab_size: 50304\n";
  const std::string network =
      "from elsewhere import Block\n"
      "class GPT(nn.Module):\n"
      "    def __init__(self, cfg):\n"
      "        super().__init__()\n"
      "        self.embedding = nn.Embedding(cfg['vocab_size'], cfg['n_embd'])\n"
      "        self.blocks = nn.ModuleList([Block(cfg) for _ in range(cfg['n_layer'])])\n"
      "        self.head = nn.Linear(cfg['n_embd'], cfg['vocab_size'])\n"
      "    def forward(self, x):\n"
      "        x = self.embedding(x)\n"
      "        for block in self.blocks:\n"
      "            x = block(x)\n"
      "        return self.head(x)\n";
  // Weights, gradients and two values of Adam, in fp32.
  CHECK(estimated(network, "GPT(cfg)", config).total.low > Bytes::of(16 * 300'000'000LL));
}

}  // namespace own_network_test
