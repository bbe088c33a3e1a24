// What the network of a run is called where the project builds it itself.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace network_name_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

constexpr const char* kNetworks =
    "import torch\nfrom torch import nn\nfrom transformers import AutoModel\n"
    "class WaveUNet(nn.Module):\n"
    "    def __init__(self, width=8):\n"
    "        super().__init__()\n        self.body = nn.Linear(width, width)\n"
    "class Judge(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n        self.body = nn.Linear(4, 4)\n"
    "class Reader(nn.Module):\n"
    "    def __init__(self, name):\n"
    "        super().__init__()\n"
    "        self.text = AutoModel.from_pretrained(name)\n"
    "        self.head = nn.Linear(4, 4)\n"
    "class Mel(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n        self.filter = nn.Linear(2, 2)\n"
    "class Vocoder(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n        self.mel = Mel()\n        self.body = nn.Linear(99, 99)\n";

/// `made` builds what is trained, as a list.
Project trained(const std::string& made, const std::string& config) {
  return Project(
      {{"networks.py", kNetworks},
       {"train.py",
        "import torch, yaml, argparse\nimport networks\nfrom networks import *\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--config')\n"
        "cfg = yaml.safe_load(open(parser.parse_args().config))\n"
        "kind = cfg.get('kind')\nfeatures = cfg.get('features')\n"
        "nets = " + made + "\n"
        "optimizer = torch.optim.Adam([p for net in nets for p in net.parameters()], lr=cfg['lr'])\n"
        "for epoch in range(cfg['epochs']):\n"
        "    for x in data:\n        sum(net(x).mean() for net in nets).backward()\n"
        "        optimizer.step()\n"},
       {"configs/a.yaml", "lr: 0.001\nepochs: 3\nbatch_size: 4\n" + config}},
      "configs/a.yaml");
}

}  // namespace

TEST_CASE("a network of the project is called by its class where the config does not name it") {
  CHECK(trained("[WaveUNet()]", "").fact("model") == "WaveUNet code networks.py:4");
}

TEST_CASE("a value of the config that names the class is the network's name") {
  const Project project = trained("[getattr(networks, cfg['kind'])()]", "kind: WaveUNet\n");
  CHECK(project.fact("model") == "WaveUNet stated configs/a.yaml:4");
  const Project chosen = trained("[{'wave_u_net': WaveUNet}[kind]()]", "kind: wave_u_net\n");
  CHECK(chosen.fact("model") == "wave_u_net stated configs/a.yaml:4");
}

TEST_CASE("the dotted name of the class is the network's name") {
  const Project project = trained("[WaveUNet()]", "class_path: networks.WaveUNet\n");
  CHECK(project.fact("model") == "networks.WaveUNet stated configs/a.yaml:4");
}

TEST_CASE("a value that names a small part of the network is not its name") {
  CHECK(trained("[Vocoder()]", "features: mel\n").fact("model") == "Vocoder code networks.py:21");
}

TEST_CASE("a text that names the class counts though the program was not seen to read it, a key never") {
  CHECK(trained("[WaveUNet()]", "about: [wave_unet]\n").fact("model") ==
        "wave_unet stated configs/a.yaml:4");
  CHECK(trained("[WaveUNet()]", "wave_unet: {width: 8}\n").fact("model") ==
        "WaveUNet code networks.py:4");
}

TEST_CASE("a network that is built on a pretrained model is called by that") {
  const Project project = trained("[Reader(kind)]", "kind: someone/reader-base\n");
  CHECK(project.fact("model") == "someone/reader-base stated configs/a.yaml:4");
}

TEST_CASE("networks of several classes have no name unless the config names one") {
  CHECK(trained("[WaveUNet(), Judge()]", "").fact("model") == "unknown");
  CHECK(trained("[WaveUNet(), Judge()]", "kind: judge\n").fact("model") ==
        "judge stated configs/a.yaml:4");
}

TEST_CASE("a class of the project is no model that has the same name elsewhere") {
  const Project project =
      Project({{"train.py",
                "import torch, yaml, argparse\nfrom torch import nn\n"
                "class resnet50(nn.Module):\n"
                "    def __init__(self):\n"
                "        super().__init__()\n        self.body = nn.Linear(3, 3)\n"
                "parser = argparse.ArgumentParser()\nparser.add_argument('--config')\n"
                "cfg = yaml.safe_load(open(parser.parse_args().config))\n"
                "net = resnet50()\n"
                "optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
                "for epoch in range(cfg['epochs']):\n"
                "    for x in data:\n        net(x).mean().backward()\n        optimizer.step()\n"},
               {"configs/a.yaml", "lr: 0.001\nepochs: 3\nbatch_size: 4\n"}},
              "configs/a.yaml");
  CHECK(project.fact("model") == "resnet50 code train.py:3");
  CHECK(project.fact("parameters") == "12 code train.py:3");
}

TEST_CASE("of a path whose folder is not known, the last part names the model") {
  const Project shell({{".git/HEAD", ""},
                       {"run.sh",
                        "llamafactory-cli train --model_name_or_path $MODELS/Qwen2.5-7B-Instruct "
                        "--stage sft --do_train true --finetuning_type lora --learning_rate 1e-4\n"}},
                      "run.sh");
  CHECK(shell.fact("model") == "Qwen2.5-7B-Instruct stated run.sh:1");
  const Project unknown({{".git/HEAD", ""},
                         {"run.sh",
                          "llamafactory-cli train --model_name_or_path $MODELS/$NAME "
                          "--stage sft --do_train true --finetuning_type lora --learning_rate 1e-4\n"}},
                        "run.sh");
  CHECK(unknown.fact("model") == "unknown");
}

}  // namespace network_name_test
