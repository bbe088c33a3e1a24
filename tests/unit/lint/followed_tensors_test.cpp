// Views and functions of tensors on the way through a network, as programs write them.

#include "unit/lint/counted_networks.h"
#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_tensors_test {

using namespace gpulint;

namespace {

/// A network of one layer of 64 features around what `forward` does to them.
std::string around(const std::string& forward, const std::string& imports = "") {
  return imports +
         "\nclass Net(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.embed = nn.Embedding(100, 64)\n"
         "        self.a = nn.Linear(64, 64)\n"
         "        self.head = nn.Linear(64, 10)\n"
         "    def forward(self, x):\n"
         "        x = self.a(self.embed(x))\n" +
         forward + "        return self.head(x)\n";
}

bool is_whole(const Followed& run) {
  return run.model() != nullptr && run.model()->followed > 0 && run.model()->missing.empty();
}

}  // namespace

TEST_CASE("functions of tensors take the names of NumPy for their arguments") {
  CHECK(is_whole(followed(around("        x = torch.unsqueeze(x, axis=1).mean(axis=1)\n"), "Net()",
                          kStep)));
  CHECK(is_whole(followed(around("        x = torch.sum(input=x, axis=1, keepdims=True)\n"),
                          "Net()", kStep)));
}

TEST_CASE("what is added in place has the sizes it had") {
  CHECK(is_whole(followed(around("        y = x.clone()\n        x.add_(y)\n"), "Net()", kStep)));
  CHECK(is_whole(followed(around("        x = x.mul_(2).sub_(1)\n"), "Net()", kStep)));
}

TEST_CASE("dots in a pattern of einops stand for all other dimensions") {
  const std::string einops = "from einops import rearrange\n";
  const Followed run = followed(
      around("        x = rearrange(x, '... (h d) -> ... h d', h=4)\n"
             "        x = rearrange(x, 'b ... h d -> b ... (h d)')\n",
             einops),
      "Net()", kStep);
  CHECK(is_whole(run));
}

TEST_CASE("a list of tensors is joined outside of a network too") {
  const std::string network = around("");
  const std::string step =
      "            parts = [net(x), net(x)]\n"
      "            loss = criterion(torch.cat(parts, dim=1).view(-1, 10), y)\n";
  CHECK(is_whole(followed(network, "Net()", step)));
}

TEST_CASE("channels of an image that different layers read are not the whole of it") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.colour = nn.Conv2d(3, 32, 3, padding=1)\n"
      "        self.depth = nn.Conv2d(1, 32, 3, padding=1)\n"
      "        self.head = nn.Conv2d(32, 2, 1)\n"
      "    def forward(self, x):\n"
      "        return self.head(self.colour(x[:, :3]) + self.depth(x[:, 3:]))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("parts of a network are found by their names in its list of them") {
  const std::string network =
      "\nclass Chain(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.add(nn.Linear(10, 20))\n"
      "        self.add(nn.Linear(20, 5))\n"
      "    def add(self, part): self.add_module(str(len(self._modules)), part)\n"
      "    def forward(self, x):\n"
      "        for part in self._modules.values(): x = part(x)\n"
      "        return self.__dict__['_modules']['1'](self._modules['0'](x[:, :10]))\n";
  using counted_networks::counted;
  CHECK(counted({{"train.py", counted_networks::script("import torch.nn as nn\n" + network,
                                                       "    net = Chain()\n")}}) ==
        std::to_string(10 * 20 + 20 + 20 * 5 + 5));
}

TEST_CASE("images that torchvision crops and resizes in a network are followed") {
  const auto follows = [](const std::string& fitted) {
    const std::string network =
        "import torchvision.transforms.functional as TF\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.down = nn.Conv2d(3, 8, 3, 2, 1)\n        self.up = nn.Conv2d(11, 2, 3, 1, 1)\n"
        "    def forward(self, x):\n        small = self.down(x)\n        fitted = " +
        fitted +
        "\n        return self.up(torch.cat([small, fitted], dim=1)).mean((2, 3))\n";
    return is_whole(followed(network, "Net()", kStep,
                             "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 64\n"));
  };
  CHECK(follows("TF.center_crop(x, [small.shape[2], small.shape[3]])"));
  CHECK(follows("TF.resize(x, size=small.shape[2:])"));
}

TEST_CASE("angles, reciprocals and sums of exponents are followed") {
  const std::string network =
      "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
      "        self.a = nn.Linear(16, 8)\n        self.b = nn.Linear(8, 4)\n"
      "    def forward(self, x):\n        x = self.a(x).clamp(-1, 1).acos().tan()\n"
      "        x = x + torch.logsumexp(x, dim=1, keepdim=True).reciprocal()\n"
      "        return self.b(x) + torch.argmin(x, dim=1, keepdim=True)\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("a norm over images is told from others by its class, and reads an image") {
  const std::string network =
      "from torch.nn.modules.batchnorm import _BatchNorm\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.norm = nn.BatchNorm2d(3)\n"
      "        self.head = nn.Conv2d(3, 64, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        x = self.head(self.norm(x))\n"
      "        if not isinstance(self.norm, _BatchNorm):\n"
      "            x = elsewhere(x)\n"
      "        return x\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("spectra have as many frequencies as PyTorch's transforms make") {
  const std::string there = "        x = torch.fft.irfft(torch.fft.rfft(x, dim=1) * 2, n=x.shape[1], "
                            "dim=1)\n";
  CHECK(is_whole(followed(around(there), "Net()", kStep)));
  CHECK(is_whole(followed(around("        x = torch.fft.fft2(x).real\n"), "Net()", kStep)));
}

TEST_CASE("views take their sizes by name as well") {
  CHECK(is_whole(followed(around("        x = x.reshape(shape=(x.shape[0], -1, 64))\n"), "Net()",
                          kStep)));
  CHECK(is_whole(followed(around("        x = x.permute(dims=(1, 0, 2))\n"), "Net()", kStep)));
}

TEST_CASE("the logits of the right classes are gathered by the labels of a batch") {
  const std::string step =
      "            scores = F.log_softmax(net(x).mean(dim=1), dim=1)\n"
      "            loss = -scores.gather(1, y.unsqueeze(1)).squeeze(1).mean()\n";
  CHECK(is_whole(followed(around(""), "Net()", step)));
  // How many items an index takes that is made of data otherwise, nobody knows.
  const std::string others = "            loss = net(x).gather(1, y.expand(-1, 7)).mean()\n";
  CHECK(!is_whole(followed(around(""), "Net()", others)));
}

TEST_CASE("a gradient passes what is written into a tensor") {
  const auto kept = [](const std::string& forward) {
    const auto tape = played(followed(around(forward), "Net()", kStep), 8, "sequence_length", 64);
    return tape ? tape->saved_bytes(model::StorageKind::activation) : 0;
  };
  // The square keeps what it is made of only where a gradient passes it.
  const auto written = kept("        out = torch.zeros(x.shape[0], x.shape[1], 64)\n"
                            "        out[:, :, :] = x\n        x = out ** 2\n");
  const auto plain = kept("        x = x + 0\n");
  CHECK(written >= plain + 8 * 64 * 64 * 4);
}

TEST_CASE("where a condition over data is open, either tensor may be meant") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.head = nn.Conv2d(3, 64, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        x = x.cuda()\n"
      "        if x.max() <= 1.:\n"
      "            x = x * 255.\n"
      "        return self.head(x / 127.5 - 1)\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("products by letters may leave out dimensions, and tell what their input is") {
  const std::string network =
      "\nclass Linear(nn.Module):\n"
      "    def __init__(self, a, b):\n"
      "        super().__init__()\n"
      "        self.weight = nn.Parameter(torch.empty((b, a)))\n"
      "    def forward(self, x): return torch.einsum('...i,oi->...o', x, self.weight)\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.words = nn.Parameter(torch.empty((100, 64)))\n"
      "        self.a = Linear(64, 64)\n"
      "        self.head = Linear(64, 10)\n"
      "    def forward(self, x):\n"
      "        x = F.one_hot(x.long(), num_classes=100).float()\n"
      "        x = self.a(torch.einsum('bsv,vd->bsd', x, self.words))\n"
      "        x = x - torch.max(x, dim=-1, keepdim=True).values\n"
      "        return self.head(x)\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK(is_whole(run));
  const auto tape = played(run, 8, "sequence_length", 64);
  REQUIRE(tape);
  CHECK(tape->saved_bytes(model::StorageKind::activation) > 8 * 64 * (64 + 64) * 4);
}

TEST_CASE("einops joins tensors, multiplies by names and stacks lists") {
  const std::string einops = "from einops import einsum, pack, rearrange, unpack\n";
  for (const char* const forward :
       {"        both, shapes = pack([x, x[:, :1]], 'b * d')\n"
        "        x, first = unpack(both, shapes, 'b * d')\n",
        "        x = einsum(x, self.a.weight, 'batch word i, o i -> batch word o')\n",
        "        x = rearrange([x, x], 'j ... -> ... j').sum(-1)\n"}) {
    CAPTURE(forward);
    CHECK(is_whole(followed(around(forward, einops), "Net()", kStep)));
  }
}

TEST_CASE("functions of tensors that compare, move and sample have sizes") {
  for (const char* const forward :
       {"        x = x * torch.gt(x, 0.5) + torch.le(x, 0.1)\n",
        "        x = torch.moveaxis(x, 2, 1).swapdims(1, 2)\n",
        "        packed = nn.utils.rnn.pack_padded_sequence(x, lengths(), batch_first=True)\n"
        "        x, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)\n",
        "        around = torch.distributions.Normal(x, F.softplus(x))\n"
        "        x = around.rsample() + around.log_prob(x.detach())\n",
        "        chosen = torch.distributions.Categorical(logits=x)\n"
        "        x = x + chosen.log_prob(chosen.sample()).unsqueeze(-1)\n"}) {
    CAPTURE(forward);
    CHECK(is_whole(followed(around(forward), "Net()", kStep)));
  }
}

TEST_CASE("a bank of filters is as large as it is asked to be, whatever its limits") {
  const std::string network =
      "import torchaudio\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(1, 8, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        high = 8000 - torch.randint(1000, (1,)).item()\n"
      "        bank, _ = torchaudio.compliance.kaldi.get_mel_banks(\n"
      "            64, 1024, 16000, 0.0, high, vtln_low=100.0, vtln_warp_factor=1.0)\n"
      "        x = F.conv1d(x.unsqueeze(1), torch.zeros(1, 1, 2)).squeeze(1)\n"
      "        x = torch.stft(x, 1024, hop_length=320, return_complex=False).pow(2).sum(-1)\n"
      "        x = torch.matmul(F.pad(bank, (0, 1)), x)\n"
      "        return self.a(x.unsqueeze(1))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("batches that are normalized over all ranks are a layer, and made of others") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(3, 8, 3, padding=1)\n"
      "        self.b = torch.nn.SyncBatchNorm(8)\n"
      "    def forward(self, x): return self.b(self.a(x))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
  const std::string made = "nn.SyncBatchNorm.convert_sync_batchnorm(Net())";
  CHECK(is_whole(followed(network, made, kStep)));
}

TEST_CASE("a number that a config has as text scales what it is multiplied with") {
  const std::string step = "            loss = cfg['weight'] * criterion(net(x), y)\n";
  const std::string forward = "        x = x.mean(1)\n";
  const std::string config = "lr: 0.001\nbatch_size: 8\nepochs: 3\nweight: '1e7'\n";
  CHECK(is_whole(followed(around(forward), "Net()", step, config)));
}

TEST_CASE("sizes that a network keeps in a tensor pad what it computes") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(3, 8, 3, padding=1)\n"
      "        self.b = nn.Conv2d(16, 8, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        x = self.a(x)\n"
      "        y = F.interpolate(F.max_pool2d(x, 2), scale_factor=2)\n"
      "        wide = torch.tensor([x.size()[3] - y.size()[3]])\n"
      "        high = torch.tensor([x.size()[2] - y.size()[2]])\n"
      "        y = F.pad(y, [wide // 2, wide - wide // 2, high // 2, high - high // 2])\n"
      "        return self.b(torch.cat([x, y], dim=1))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("what a mapping of layers keeps beside them is none of its layers") {
  const std::string network =
      "from collections import OrderedDict\n"
      "\nclass Stages(nn.ModuleDict):\n"
      "    def __init__(self, layers, wanted):\n"
      "        super().__init__(layers)\n"
      "        self.wanted = wanted\n"
      "    def forward(self, x):\n"
      "        out = OrderedDict()\n"
      "        for name, layer in self.items():\n"
      "            x = layer(x)\n"
      "            if name in self.wanted: out[self.wanted[name]] = x\n"
      "        return out\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        layers = OrderedDict(a=nn.Conv2d(3, 8, 3), b=nn.Conv2d(8, 8, 3))\n"
      "        self.stages = Stages(layers, {'b': 'out'})\n"
      "    def forward(self, x): return self.stages(x)['out']\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("no gradient passes a metric that counts right answers") {
  const std::string step =
      "            logits = net(x)\n"
      "            loss = criterion(logits, y)\n"
      "            accuracy(logits, y)\n";
  const std::string imports = "import torchmetrics\naccuracy = torchmetrics.Accuracy(top_k=1)\n";
  CHECK(is_whole(followed(around("        x = x.mean(1)\n", imports), "Net()", step)));
}

TEST_CASE("an image and its copies as further channels are what the first layer takes") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(3, 8, 3, padding=1)\n"
      "        self.b = nn.Conv2d(8, 3, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        if x.size()[1] == 1:\n"
      "            x = x.repeat(1, 3, 1, 1)\n"
      "        return self.b(self.a(x))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("numbers in the names of layers are written as their format says") {
  const std::string network =
      "from collections import OrderedDict\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.body = nn.Sequential(OrderedDict(\n"
      "            [('unit1', nn.Conv2d(3, 8, 3))] +\n"
      "            [(f'unit{i:d}', nn.Conv2d(8, 8, 3)) for i in range(2, 4)] +\n"
      "            [(f'part{i:02d}', nn.Conv2d(8, 8, 3)) for i in range(2)] +\n"
      "            [('last{:d}'.format(i), nn.Conv2d(8, 8, 3)) for i in range(2)]))\n"
      "    def forward(self, x): return self.body(x)\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

}  // namespace followed_tensors_test
