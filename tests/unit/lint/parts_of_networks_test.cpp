// How a project finds the class, the width or a part of its network: idioms of Python, options of
// a command, and models of libraries inside a network of its own.

#include "unit/lint/code_project.h"
#include "unit/lint/counted_networks.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace parts_of_networks_test {

using namespace gpulint;
using namespace counted_networks;

/// A network whose one part is `part`.
std::string around(const std::string& imports, const std::string& part) {
  return imports +
         "import torch\nimport torch.nn as nn\n"
         "class Second(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.part = " +
         part + "\n    def forward(self, x): return self.part(x)\n";
}

std::string counted_part(const std::string& imports, const std::string& part) {
  return counted({{"nets.py", around(imports, part)},
                  {"train.py", script("from nets import Second", "    net = Second()\n")}});
}

TEST_CASE("all names of a package are those of the modules that it imports as well") {
  const auto with = [](const std::string& package, const std::string& net) {
    return counted({{"nets/__init__.py", package},
                    {"nets/wide.py", network("Second", 20)},
                    {"train.py", script("from nets import *", "    net = " + net + "\n")}});
  };
  CHECK(with("from .wide import *\n", "wide.Second()") == "220");
  CHECK(with("from .wide import Second as Wide\n", "wide.Second()") == "220");
  CHECK(with("__all__ = ['Second']\nfrom .wide import Second\n", "wide.Second()") == "unknown");
}

TEST_CASE("a class of a library is told from another, and found in a function with arguments") {
  const std::string net =
      "import functools\nimport torch.nn as nn\n"
      "class Second(nn.Module):\n"
      "    def __init__(self, norm):\n"
      "        super().__init__()\n"
      "        if type(norm) == functools.partial:\n"
      "            bias = norm.func != nn.BatchNorm2d\n"
      "        else:\n"
      "            bias = norm != nn.BatchNorm2d\n"
      "        self.a = nn.Linear(10, 20, bias=bias)\n"
      "        self.b = nn.Conv1d(1, 1, 1, bias=type(self.a) in (nn.Conv2d, nn.Linear))\n";
  const auto with = [&](const std::string& norm) {
    return counted({{"nets.py", net},
                    {"train.py", script("import functools\nimport torch.nn as nn\n"
                                        "from nets import Second",
                                        "    net = Second(" + norm + ")\n")}});
  };
  CHECK(with("functools.partial(nn.BatchNorm2d, affine=True)") == "202");
  CHECK(with("functools.partial(nn.InstanceNorm2d)") == "222");
  CHECK(with("nn.BatchNorm2d") == "202");
  CHECK(with("nn.InstanceNorm2d") == "222");
}

TEST_CASE("a key of a loaded config that becomes an option stands for no other config") {
  const std::string program =
      "import argparse, torch, yaml\nimport torch.nn as nn\n"
      "class Second(nn.Module):\n"
      "    def __init__(self, width=3):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(10, width)\n"
      "parser = argparse.ArgumentParser()\nparser.add_argument('--conf_dir')\n"
      "given = yaml.safe_load(open(parser.parse_args().conf_dir))\n"
      "for key, value in given.items():\n"
      "    parser.add_argument('--' + key, default=value, type=type(value))\n"
      "args = parser.parse_args()\n"
      "net = Second(**args.net_config)\n"
      "optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)\n"
      "if __name__ == '__main__':\n"
      "    for x in torch.utils.data.DataLoader(rows, batch_size=args.batch_size):\n"
      "        net(x).mean().backward()\n        optimizer.step()\n";
  const Project project({{"train.py", program},
                         {"configs/a.yaml", "lr: 0.1\nbatch_size: 8\nnet_config: {width: 7}\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("parameters") == "77 code train.py:3");
}

TEST_CASE("a number on a command line is text where its option says so") {
  const Project project(
      {{".git/HEAD", ""},
       {"nets.py", network("Second", 20) + "class Scaled(nn.Module):\n"
                                           "    def __init__(self, scale):\n"
                                           "        super().__init__()\n"
                                           "        self.a = nn.Linear(10, scale)\n"},
       {"train.py",
        "import argparse, torch\nfrom nets import Scaled\n"
        "p = argparse.ArgumentParser()\np.add_argument('--scale', type=str, default='2')\n"
        "args = p.parse_args()\n"
        "args.scale = [int(each) for each in args.scale.split('+')]\n"
        "net = Scaled(args.scale[0])\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "if __name__ == '__main__':\n"
        "    for x in torch.utils.data.DataLoader(rows, batch_size=8):\n"
        "        net(x).mean().backward()\n        optimizer.step()\n"},
       {"run.sh", "python train.py --scale 4\n"}},
      "run.sh");
  CHECK(project.fact("parameters").starts_with("44 code"));
}

TEST_CASE("bits of whole numbers decide how a network is built") {
  const std::string net = network("Second", 20) +
                          "def made(scale):\n"
                          "    if (scale & (scale - 1)) == 0: return nn.Linear(10, scale)\n"
                          "    return nn.Linear(10, (scale | 1) ^ 2, bias=(scale > 1) & True)\n";
  const auto with = [&](const std::string& scale) {
    return counted({{"nets.py", net},
                    {"train.py", script("from nets import made",
                                        "    net = made(" + scale + ")\n")}});
  };
  CHECK(with("8") == "88");
  CHECK(with("6") == "55");
}

TEST_CASE("speech models of transformers are counted, whatever loads their samples") {
  const std::string imports = "from transformers import WhisperForConditionalGeneration, "
                              "WhisperModel, WhisperProcessor\n";
  CHECK(counted_part(imports, "WhisperForConditionalGeneration.from_pretrained("
                              "'openai/whisper-base')") == "72593920");
  CHECK(counted_part(imports, "WhisperModel.from_pretrained('openai/whisper-tiny')\n"
                              "        self.samples = WhisperProcessor.from_pretrained('x')") ==
        "37760640");
}

TEST_CASE("blocks of transformers that a project puts together anew are counted") {
  const std::string imports =
      "from transformers import T5Config\n"
      "from transformers.models.t5.modeling_t5 import T5Block, T5LayerNorm, T5Stack\n";
  // 4 x 512 x 512 of attention, 2 x 512 x 2048, two norms, and distances of 8 heads.
  CHECK(counted_part(imports, "T5Block(T5Config(), True)") == "3147008");
  CHECK(counted_part(imports, "T5Block(T5Config())") == "3146752");
  CHECK(counted_part(imports, "T5LayerNorm(512)") == "512");
  CHECK(counted_part("import timm\n", "timm.create_model('resnet200d')") == "64693064");
}

TEST_CASE("a head that transformers ties to the words counts once") {
  const std::string nets =
      "from transformers import T5Config, T5ForConditionalGeneration\nimport torch.nn as nn\n"
      "class Second(T5ForConditionalGeneration):\n"
      "    def __init__(self):\n"
      "        super(T5ForConditionalGeneration, self).__init__(T5Config())\n"
      "        self.shared = nn.Embedding(100, 512)\n"
      "        self.lm_head = nn.Linear(512, 100, bias=False)\n"
      "        self.init_weights()\n";
  const std::string counts = counted(
      {{"nets.py", nets}, {"train.py", script("from nets import Second", "    net = Second()\n")}});
  CHECK(counts.starts_with("51200"));
}

TEST_CASE("a model from a folder that a hub keeps is the one that the folder is called after") {
  CHECK(counted_part("from transformers import CLIPModel\n",
                     "CLIPModel.from_pretrained('../models/openai--clip-vit-base-patch16')") ==
        "149620737");
}

TEST_CASE("an encoder of a repository of a hub is counted by its name") {
  CHECK(counted_part("", "torch.hub.load('facebookresearch/dinov2', 'dinov2_vits14')") ==
        "22056576");
}

TEST_CASE("layers of loralib are counted beside a config of transformers and its activations") {
  const std::string imports =
      "import loralib as lora\nfrom transformers import PretrainedConfig\n"
      "from transformers.activations import ACT2FN\n";
  const std::string made =
      "lora.Linear(10, 20, r=2)\n"
      "        self.settings = PretrainedConfig.from_dict({'act': 'gelu', 'width': 2})\n"
      "        self.act = ACT2FN[self.settings.act]\n"
      "        self.head = nn.Linear(20, self.settings.width)";
  CHECK(counted_part(imports, made) == "322");  // 10 x 20 + 20, 2 x 10 + 20 x 2, 20 x 2 + 2
}

TEST_CASE("a network in adapters has its own weights at least, none of them trained") {
  const std::string nets =
      around("from peft import LoraConfig, get_peft_model\n",
             "get_peft_model(nn.Linear(10, 20), LoraConfig(r=2))\n"
             "        self.head = nn.Linear(20, 2)");
  const Project project(
      {{"nets.py", nets},
       {"train.py", script("from nets import Second", "    net = Second()\n")},
       {"configs/a.yaml", kConfig}},
      "configs/a.yaml");
  CHECK(project.fact("parameters").starts_with("262 assumed"));
  CHECK(project.fact("trainable_parameters").starts_with("42 assumed"));
}

TEST_CASE("what several commands train counts by the smallest network") {
  const std::string program =
      "import argparse, torch\nfrom nets import Second\n"
      "p = argparse.ArgumentParser()\np.add_argument('--width', type=int, default=20)\n"
      "net = Second(p.parse_args().width)\n"
      "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
      "if __name__ == '__main__':\n"
      "    for x in torch.utils.data.DataLoader(rows, batch_size=8):\n"
      "        net(x).mean().backward()\n        optimizer.step()\n";
  const std::string nets =
      "import torch.nn as nn\nclass Second(nn.Module):\n"
      "    def __init__(self, width):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(10, width)\n"
      "    def forward(self, x): return self.a(x)\n";
  const auto with = [&](const std::string& commands) {
    return Project({{".git/HEAD", ""}, {"nets.py", nets}, {"train.py", program},
                    {"README.md", "```\n" + commands + "```\n"}},
                   "train.py")
        .fact("parameters");
  };
  CHECK(with("python train.py --width 7\n").starts_with("77 "));
  CHECK(with("python train.py --width 7\npython train.py --width 9\n").starts_with("77 assumed"));
}

}  // namespace parts_of_networks_test
