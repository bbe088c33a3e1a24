// What a step calls in place of the network, the sizes that tables of positions and windows leave
// of its inputs, and what it holds beside what it trains.

#include "unit/lint/code_project.h"
#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_steps_test {

using namespace gpulint;

namespace {

bool is_whole(const Followed& run) {
  return run.model() != nullptr && run.model()->missing.empty();
}

constexpr const char* kBegin =
    "\nclass Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n";

constexpr const char* kPositions =
    "\nclass Positions(nn.Module):\n"
    "    def __init__(self, width, most):\n"
    "        super().__init__()\n"
    "        self.register_buffer('table', torch.zeros(1, most, width))\n"
    "    def forward(self, x): return x + self.table[:, :x.size(1)]\n";

}  // namespace

TEST_CASE("a method of the network that a step calls in its place is followed as a whole") {
  const std::string network = std::string(kPositions) + kBegin +
                              "        self.into = nn.Linear(12, 64)\n"
                              "        self.places = Positions(64, 512)\n"
                              "        self.head = nn.Linear(64, 10)\n"
                              "    def encoded(self, x): return self.places(self.into(x))\n"
                              "    def forward(self, x): return self.head(self.encoded(x))\n";
  const Followed run =
      followed(network, "Net()", "            loss = net.encoded(x).pow(2).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "sequence_length", 100) > 8 * 100 * 64 * 4);
}

TEST_CASE("a method of the network that trains by itself is no single step") {
  const std::string network = std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 64, 3)\n"
                              "        self.b = nn.Conv2d(64, 3, 3)\n"
                              "    def forward(self, x): return self.b(self.a(x))\n"
                              "    def learn(self, x):\n"
                              "        loss = self.forward(x).mean()\n"
                              "        loss.backward()\n"
                              "        return loss\n";
  const Followed run = followed(network, "Net()",
                                "            net.learn(x)\n            loss = net(x).mean()\n");
  CHECK(is_whole(run));
}

TEST_CASE("an operation that a vector per sample does not have says that rows are read") {
  const std::string network = std::string(kBegin) +
                              "        self.into = nn.Linear(12, 64)\n"
                              "        self.norm = nn.LayerNorm(64)\n"
                              "        self.a = nn.Conv1d(64, 64, 3, padding=1)\n"
                              "    def forward(self, x):\n"
                              "        x = self.norm(self.into(x))\n"
                              "        return self.a(x.transpose(1, 2))\n";
  const Followed run = followed(network, "Net()", "            loss = net(x).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "sequence_length", 100) > 8 * 100 * 64 * 4);
}

TEST_CASE("images are as large as the table of positions of their patches") {
  const std::string network = std::string(kPositions) + kBegin +
                              "        self.a = nn.Conv2d(3, 64, 32, stride=32)\n"
                              "        self.places = Positions(64, 169)\n"
                              "        self.head = nn.Linear(64, 10)\n"
                              "    def forward(self, x):\n"
                              "        x = self.a(x).flatten(2).transpose(1, 2)\n"
                              "        return self.head(self.places(x))\n";
  const Followed run = followed(network, "Net()", "            loss = net(x).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "", 0) > 8 * 416 * 416 * 3 * 4);
  CHECK(saved(run, 8, "", 0) < 8 * 512 * 512 * 3 * 4);
}

TEST_CASE("each of two texts is as long as its own table of positions at most") {
  const std::string network = std::string(kPositions) + kBegin +
                              "        self.words = nn.Embedding(5000, 64)\n"
                              "        self.first = Positions(64, 100)\n"
                              "        self.second = Positions(64, 30)\n"
                              "        self.cross = nn.MultiheadAttention(64, 4,\n"
                              "                                           batch_first=True)\n"
                              "        self.head = nn.Linear(64, 5000)\n"
                              "    def forward(self, x, y):\n"
                              "        x = self.first(self.words(x))\n"
                              "        y = self.second(self.words(y))\n"
                              "        return self.head(self.cross(y, x, x)[0])\n";
  const Followed run = followed(network, "Net()", "            loss = net(x, y).mean()\n");
  CHECK(is_whole(run));
  REQUIRE(run.model() != nullptr);
  CHECK(run.model()->followed < 0.01);  // they may be shorter
  CHECK(saved(run, 8, "", 0) > 8 * 30 * 64 * 4);
  CHECK(saved(run, 8, "", 0) < 8 * 100 * 5000 * 4);
}

TEST_CASE("patches that do not divide the image are counted whole") {
  const std::string network = std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 64, 14, stride=14)\n"
                              "        self.qkv = nn.Linear(64, 192)\n"
                              "        self.head = nn.Linear(64, 10)\n"
                              "    def forward(self, x):\n"
                              "        x = self.a(x).flatten(2).transpose(1, 2)\n"
                              "        n, t, c = x.shape\n"
                              "        q, k, v = self.qkv(x).reshape(n, t, 3, 64).unbind(2)\n"
                              "        scores = F.softmax(q @ k.transpose(1, 2), -1)\n"
                              "        return self.head(scores @ v)\n";
  const Followed run = followed(network, "Net()", "            loss = net(x).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "image_size", 224) > 8 * 256 * 192 * 4);
  CHECK(saved(run, 8, "image_size", 518) > 8 * 1369 * 1369 * 4);
}

TEST_CASE("what a network asks of its input's device is answered as on a GPU") {
  const std::string network = std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 64, 3)\n"
                              "        self.b = nn.Conv2d(64, 3, 3)\n"
                              "    def forward(self, x):\n"
                              "        x = self.a(x)\n"
                              "        if x.device.type == 'cpu':\n"
                              "            return unknown_to_all(x)\n"
                              "        return self.b(x)\n";
  CHECK(is_whole(followed(network, "Net()", "            loss = net(x).mean()\n")));
}

TEST_CASE("einsum takes its tensors in a tuple too") {
  const std::string network = std::string(kBegin) +
                              "        self.w = nn.Parameter(torch.zeros(64, 32))\n"
                              "        self.a = nn.Conv2d(3, 64, 3)\n"
                              "    def forward(self, x):\n"
                              "        return torch.einsum('nchw,cd->ndhw', (self.a(x), self.w))\n";
  CHECK(is_whole(followed(network, "Net()", "            loss = net(x).mean()\n")));
}

TEST_CASE("a sample by itself that is made a batch of one leaves batches as they are") {
  const std::string network = std::string(kBegin) +
                              "        self.words = nn.Embedding(5000, 64)\n"
                              "        self.head = nn.Linear(64, 10)\n"
                              "    def forward(self, x):\n"
                              "        if len(x.shape) == 1:\n"
                              "            x = x.view(1, x.shape[0])\n"
                              "        return self.head(self.words(x))\n";
  const Followed run = followed(network, "Net()", "            loss = net(x).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "sequence_length", 100) > 8 * 100 * 64 * 4);
}

TEST_CASE("the result of a library's encoder is taken apart like a tuple") {
  const std::string network = "from transformers import BertModel\n" + std::string(kBegin) +
                              "        self.bert = BertModel.from_pretrained('bert-base-uncased')\n"
                              "        self.head = nn.Linear(768, 10)\n"
                              "    def forward(self, x):\n"
                              "        rows, pooled = self.bert(x, return_dict=False)\n"
                              "        return self.head(pooled)\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("Mamba's layers keep what their kernels read") {
  const std::string network = "from mamba_ssm import Mamba, Mamba2\n" + std::string(kBegin) +
                              "        self.words = nn.Embedding(5000, 64)\n"
                              "        self.a = Mamba(64, d_state=16)\n"
                              "        self.b = Mamba2(64, d_state=16, headdim=32)\n"
                              "        self.head = nn.Linear(64, 10)\n"
                              "    def forward(self, x):\n"
                              "        return self.head(self.b(self.a(self.words(x))))\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "sequence_length", 100) > 8 * 100 * 4 * (64 * 3 + 128 * 6));
  REQUIRE(run.model() != nullptr);
  CHECK(run.model()->followed < 1);
  CHECK(run.model()->followed > 0.3);
}

TEST_CASE("a config of one part of a project is not read by a program of the part beside it") {
  const std::string begin =
      "import argparse, os, yaml\nimport torch\nimport torch.nn as nn\n"
      "HERE = os.path.dirname(__file__)\n";
  const auto program = [&](const std::string& width) {
    return begin +
           "def main():\n"
           "    parser = argparse.ArgumentParser()\n"
           "    parser.add_argument('--config', default=os.path.join(HERE, 'config.yaml'))\n"
           "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
           "    net = nn.Linear(" +
           width +
           ", 10)\n"
           "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
           "    for x, y in torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size']):\n"
           "        loss = net(x).mean()\n"
           "        optimizer.zero_grad()\n"
           "        loss.backward()\n"
           "        optimizer.step()\n"
           "if __name__ == '__main__':\n    main()\n";
  };
  const Project project({{"parts/one/train.py", program("100")},
                         {"parts/two/train.py", program("200")},
                         {"parts/one/config.yaml", "lr: 0.001\nbatch_size: 8\n"}},
                        "parts/one/config.yaml");
  CHECK(project.fact("parameters") == "1010 code parts/one/train.py:9");
}

TEST_CASE("a pattern of einsum says at which sizes of its input a network works") {
  const std::string network = std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 64, 1)\n"
                              "        self.t = nn.Parameter(torch.zeros(18, 10, 10))\n"
                              "        self.v = nn.Parameter(torch.zeros(10, 18, 18))\n"
                              "    def forward(self, x):\n"
                              "        x = self.a(x.permute(0, 3, 1, 2))\n"
                              "        y = torch.einsum('nctv,vtq->ncqv', (x, self.t))\n"
                              "        return torch.einsum('nctv,tvw->nctw', (y, self.v)) + x\n";
  const Followed run = followed(network, "Net()", "            loss = net(x).mean()\n");
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "", 0) > 8 * 10 * 18 * 64 * 4);
  CHECK(saved(run, 8, "", 0) < 8 * 18 * 18 * 64 * 4 * 4);
}

TEST_CASE("what a network refuses says how many dimensions its inputs have") {
  const auto network = [](const std::string& check) {
    return std::string(kBegin) +
           "        self.a = nn.Conv2d(3, 64, 3, padding=1)\n"
           "        self.kind = nn.Embedding(10, 64)\n"
           "        self.b = nn.Conv2d(64, 3, 3, padding=1)\n"
           "    def forward(self, x, y):\n" +
           check +
           "        scale = self.kind(y)\n"
           "        while len(scale.shape) < 4: scale = scale[..., None]\n"
           "        return self.b(self.a(x) * scale)\n";
  };
  const std::string step = "            loss = net(x, y).mean()\n";
  for (const std::string check :
       {"        assert y.shape == (x.shape[0],)\n", "        assert y.dim() == 1\n",
        "        if y.ndim != 1:\n            raise ValueError('one of each')\n",
        "        if y.dim() != 1 or x.size(1) != 3:\n            raise ValueError('one of each')\n",
        "        assert x is not None and len(y.size()) == 1, 'one of each'\n"}) {
    CHECK(is_whole(followed(network(check), "Net()", step)));
  }
}

TEST_CASE("what a network does with samples of another kind is not done with batches") {
  const auto network = [](const std::string& check) {
    return std::string(kBegin) +
           "        self.a = nn.Conv2d(3, 8, 3, padding=1)\n"
           "    def forward(self, x):\n" +
           check + "        return self.a(x)\n";
  };
  for (const std::string check :
       {"        if x.dim() == 3:\n            x = x.unsqueeze(0)\n",
        "        x = x.unsqueeze(0) if x.ndim < 4 else x\n"}) {
    CHECK(is_whole(followed(network(check), "Net()", kStep)));
  }
  // Of a batch of one that is always made of what nobody knows, nothing tells the samples.
  CHECK_FALSE(is_whole(followed(network("        x = x.unsqueeze(0)\n"), "Net()", kStep)));
}

TEST_CASE("networks that a library makes by name are followed") {
  const auto parameters = [](const std::string& imports, const std::string& made) {
    const Followed run = followed(imports, made, kStep,
                                  "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 224\n");
    const bool is_known = is_whole(run) && run.report->run->facts().parameters;
    return is_known ? run.report->run->facts().parameters->value : -1;
  };
  CHECK(parameters("from torchvision.models import get_model\n",
                   "get_model('resnet50', weights='DEFAULT')") == 25'557'032);
  const std::string encoder =
      "from transformers import AutoModel\n" + std::string(kBegin) +
      "        self.inner = AutoModel.from_pretrained('allegro/herbert-base-cased')\n"
      "    def forward(self, x): return self.inner(x).last_hidden_state\n";
  CHECK(parameters(encoder, "Net()") == 124'442'880);
  CHECK(parameters("import open_clip\n",
                   "open_clip.create_model('ViT-B-32', pretrained='openai').visual") ==
        151'277'313);
  CHECK(parameters("import segmentation_models_pytorch as smp\n",
                   "smp.Unet('tu-resnet34', classes=2)") == 24'436'514);
}

TEST_CASE("a distance of images that LPIPS learned keeps maps of its frozen network") {
  const std::string network = "import lpips\n" + std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 3, 3, padding=1)\n"
                              "    def forward(self, x): return self.a(x)\n";
  const Followed plain = followed(network, "Net()", "            loss = net(x).mean()\n");
  const Followed learned =
      followed(network, "Net()\n    distance = lpips.LPIPS(net='vgg')",
               "            loss = distance(net(x), y).mean()\n");
  CHECK(is_whole(learned));
  CHECK(saved(learned, 8, "image_size", 64) > 8 * 64 * 64 * 64 * 4 * 2);
  CHECK(saved(learned, 8, "image_size", 64) > 10 * saved(plain, 8, "image_size", 64));
}

TEST_CASE("what is loaded behind the training from where it was saved is what was trained") {
  const auto project = [](const std::string& rest) {
    return Project(
        {{"train.py",
          "import argparse, torch, yaml\n"
          "from transformers import AutoModelForSequenceClassification as Model\n"
          "class Runner:\n"
          "    def __init__(self, name):\n"
          "        self.net = Model.from_pretrained(name, num_labels=3)\n"
          "        self.optimizer = torch.optim.AdamW(self.net.parameters())\n"
          "    def run(self, cfg):\n"
          "        self.optimizer.param_groups[0]['lr'] = cfg['lr'] * cfg['epochs']\n"
          "        for x in torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size']):\n"
          "            loss = self.net(x)[0]\n"
          "            self.optimizer.zero_grad()\n"
          "            loss.backward()\n"
          "            self.optimizer.step()\n"
          "        self.net.save_pretrained('out')\n"
          "def main():\n"
          "    parser = argparse.ArgumentParser()\n"
          "    parser.add_argument('--config')\n"
          "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
          "    runner = Runner('bert-base-uncased')\n"
          "    runner.run(cfg)\n" +
              rest + "if __name__ == '__main__':\n    main()\n"},
         {"conf/a.yaml", "lr: 0.001\nbatch_size: 8\nepochs: 3\n"}},
        "conf/a.yaml");
  };
  const Project judged = project("    best = Runner('out')\n    judge(best)\n");
  CHECK(judged.fact("model") == "bert-base-uncased code train.py:19");
  CHECK(judged.fact("parameters") == project("").fact("parameters"));
  CHECK(judged.fact("parameters").starts_with("109483778 "));
  // Another one that is trained too is another one.
  CHECK(project("    Runner('bert-large-uncased').run(cfg)\n").fact("model") == "unknown");
}

TEST_CASE("an optimizer around another one trains what that one was given") {
  const std::string network = std::string(kBegin) +
                              "        self.a = nn.Conv2d(3, 64, 3)\n"
                              "    def forward(self, x): return self.a(x)\n"
                              "class Around(torch.optim.Optimizer):\n"
                              "    def __init__(self, optimizer, k=5): self.inner = optimizer\n";
  const std::string step =
      "            optimizer = Around(optimizer=optimizer, k=6)\n"
      "            loss = net(x).mean()\n";
  CHECK(is_whole(followed(network, "Net()", step)));
}

TEST_CASE("what is built around a model counts before the model, where all of it is followed") {
  const std::string network = "from transformers import BertModel\n" + std::string(kBegin) +
                              "        self.bert = BertModel.from_pretrained(cfg['model'])\n"
                              "        self.head = nn.Linear(768, 10)\n"
                              "        self.kind = nobody_knows(3)\n"
                              "    def forward(self, x):\n"
                              "        return self.head(self.bert(x)[0])\n";
  const Followed run =
      followed(std::string(network).replace(network.find("(self)"), 6, "(self, cfg)"), "Net(cfg)",
               kStep, "lr: 0.001\nbatch_size: 8\nepochs: 3\nmodel: bert-base-uncased\n");
  CHECK(is_whole(run));
  REQUIRE(run.model() != nullptr);
  CHECK(run.model()->followed > 0);
}

TEST_CASE("a model that writes text has as many positions as it can write") {
  const Project project({{"train.yaml", "model_name_or_path: openai/whisper-small\n"
                                        "per_device_train_batch_size: 8\nlearning_rate: 1e-5\n"
                                        "output_dir: out\nnum_train_epochs: 3\n"}},
                        "train.yaml");
  CHECK(project.fact("max_position_embeddings").starts_with("448 model"));
}

}  // namespace followed_steps_test
