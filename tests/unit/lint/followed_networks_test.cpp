// Steps of a project's own networks, followed through `forward`: what autograd keeps of them was
// measured with saved_tensors_hooks, PyTorch 1.13, on the CPU in fp32 (where dropout keeps a mask
// of four bytes a value and not of one, so there is none).

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace followed_networks_test {

using namespace gpulint;

namespace {

constexpr const char* kResidual = R"(
class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.a = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.b = nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.na = nn.BatchNorm2d(o)
        self.nb = nn.BatchNorm2d(o)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or i != o:
            self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))
    def forward(self, x):
        y = self.relu(self.na(self.a(x)))
        y = self.nb(self.b(y))
        if self.down is not None:
            x = self.down(x)
        y += x
        return self.relu(y)

class Net(nn.Module):
    def __init__(self, width=16, depths=(2, 2, 2), classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.n = nn.BatchNorm2d(width)
        layers = []
        i = width
        for s, n in enumerate(depths):
            for k in range(n):
                layers.append(Block(i, width * 2 ** s, 2 if k == 0 and s else 1))
                i = width * 2 ** s
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(i, classes)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.n(self.stem(x))), 3, 2, 1)
        x = F.adaptive_avg_pool2d(self.layers(x), (1, 1))
        return self.fc(torch.flatten(x, 1))
)";

constexpr const char* kUnet = R"(
class Double(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o),
                               nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1, bias=False),
                               nn.BatchNorm2d(o), nn.ReLU(inplace=True))
    def forward(self, x): return self.c(x)

class Up(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode='bilinear', align_corners=True)
        self.conv = Double(i, o)
    def forward(self, a, b):
        a = self.up(a)
        dy = b.size()[2] - a.size()[2]
        dx = b.size()[3] - a.size()[3]
        a = F.pad(a, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([b, a], dim=1))

class Net(nn.Module):
    def __init__(self, width=8, classes=2):
        super().__init__()
        self.inc = Double(3, width)
        self.downs = nn.ModuleList([Double(width * 2 ** i, width * 2 ** (i + 1)) for i in range(3)])
        self.ups = nn.ModuleList([Up(width * 2 ** (i + 1) + width * 2 ** i, width * 2 ** i)
                                  for i in reversed(range(3))])
        self.out = nn.Conv2d(width, classes, 1)
    def forward(self, x):
        xs = [self.inc(x)]
        for d in self.downs:
            xs.append(d(F.max_pool2d(xs[-1], 2)))
        y = xs.pop()
        for u in self.ups:
            y = u(y, xs.pop())
        return self.out(y)
)";

constexpr const char* kDecoder = R"(
class Block(nn.Module):
    def __init__(self, d, heads, drop=0.0):
        super().__init__()
        self.n1 = nn.LayerNorm(d)
        self.n2 = nn.LayerNorm(d)
        self.h = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.drop = nn.Dropout(drop)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(drop))
    def attend(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.h, C // self.h).transpose(1, 2)
        k = k.view(B, T, self.h, C // self.h).transpose(1, 2)
        v = v.view(B, T, self.h, C // self.h).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (C // self.h) ** -0.5
        att = self.drop(att.softmax(dim=-1))
        return self.drop(self.proj((att @ v).transpose(1, 2).reshape(B, T, C)))
    def forward(self, x):
        x = x + self.attend(self.n1(x))
        return x + self.mlp(self.n2(x))

class Net(nn.Module):
    def __init__(self, vocab=200, d=64, layers=2, heads=4, block=128):
        super().__init__()
        self.wte = nn.Embedding(vocab, d)
        self.wpe = nn.Embedding(block, d)
        self.blocks = nn.ModuleList([Block(d, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
    def forward(self, idx):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
)";

constexpr const char* kPatches = R"(
class Net(nn.Module):
    def __init__(self, img_size=64, patch=8, d=48, layers=2, heads=3, classes=10):
        super().__init__()
        self.img_size = img_size
        self.patch = nn.Conv2d(3, d, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.zeros(1, (img_size // patch) ** 2 + 1, d))
        layer = nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, 'gelu', batch_first=True,
                                           norm_first=True)
        self.enc = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(d, classes)
    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.pos
        return self.head(self.enc(x)[:, 0])
)";

}  // namespace

TEST_CASE("what a residual network keeps is what autograd keeps of it") {
  const Followed run = followed(kResidual, "Net()", kStep);
  CHECK(saved(run, 8, "image_size", 64) == doctest::Approx(3'779'716).epsilon(0.01));
  CHECK(saved(run, 2, "image_size", 96) == doctest::Approx(2'129'252).epsilon(0.01));
}

TEST_CASE("a network whose tensors do not go together as it is read has no figure") {
  const char* const network =
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(32, 48)\n"
      "        self.b = nn.Linear(32, 40)\n"
      "    def forward(self, x):\n"
      "        return self.a(x) + self.b(x)\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK((run.model() == nullptr || run.model()->followed <= 0));
  const std::string fits = std::string(network).replace(std::string(network).find("40"), 2, "48");
  const Followed other = followed(fits, "Net()", kStep);
  REQUIRE(other.model() != nullptr);
  CHECK(other.model()->followed > 0);
}

TEST_CASE("a network that joins what it kept is followed, whatever the size of its image") {
  const Followed run = followed(kUnet, "Net()", kStep);
  CHECK(saved(run, 8, "image_size", 64) == doctest::Approx(23'008'772).epsilon(0.01));
  CHECK(saved(run, 2, "image_size", 96) == doctest::Approx(12'944'900).epsilon(0.01));
}

TEST_CASE("attention that is written out keeps its scores") {
  const Followed run = followed(kDecoder, "Net()",
                                "            out = net(x)\n"
                                "            loss = F.cross_entropy(out.view(-1, out.size(-1)), "
                                "y.view(-1))\n");
  CHECK(saved(run, 8, "sequence_length", 64) == doctest::Approx(5'943'828).epsilon(0.02));
  CHECK(saved(run, 2, "sequence_length", 96) == doctest::Approx(2'426'132).epsilon(0.02));
}

TEST_CASE("what an index picks that depends on data is not counted") {
  const std::string network =
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(3, 32, 16, 16)\n"
      "        self.b = nn.Linear(32, 10)\n"
      "    def forward(self, x):\n"
      "        x = self.a(x).flatten(2).transpose(1, 2)\n"
      "        with torch.no_grad():\n"
      "            weights = F.softmax(x.mean(dim=2), dim=1)\n"
      "        chosen = torch.multinomial(weights, 2)\n"
      "        return self.b(x[chosen[0]])\n";
  const Followed run = followed(network, "Net()", kStep);
  REQUIRE(run.model() != nullptr);
  CHECK(!run.model()->missing.empty());
  std::string fixed = network;
  fixed.replace(fixed.find("x[chosen[0]]"), 12, "x[0]");
  CHECK(saved(followed(fixed, "Net()", kStep), 8, "image_size", 64) > 0);
}

TEST_CASE("a head that shares the weight of the words has no weight of its own") {
  const std::string plain = kDecoder;
  const std::string head = "        self.head = nn.Linear(d, vocab, bias=False)\n";
  const char* const step = "            loss = F.cross_entropy(net(x).view(-1, 200), y.view(-1))\n";
  const auto values = [&](const std::string& added) {
    std::string network = plain;
    network.replace(network.find(head), head.size(), head + added);
    const auto tape = played(followed(network, "Net()", step), 8, "sequence_length", 64);
    std::int64_t count = 0;
    if (!tape) return count;
    for (const model::Storage& storage : tape->storages()) {
      if (storage.kind == model::StorageKind::parameter)
        count += storage.bytes / model::size_of(storage.dtype);
    }
    return count;
  };
  const std::int64_t apart = values("");
  CHECK(apart > 0);
  CHECK(values("        self.head.weight = self.wte.weight\n") == apart - 200 * 64);
  CHECK(values("        self.wte.weight = self.head.weight\n") == apart - 200 * 64);
}

TEST_CASE("a network for one size of image is followed at that size") {
  const Followed run = followed(kPatches, "Net()", kStep);
  CHECK(saved(run, 8, "", 0) == doctest::Approx(4'516'180).epsilon(0.03));
  CHECK(saved(run, 2, "", 0) == doctest::Approx(1'129'060).epsilon(0.03));
}

TEST_CASE("the one fact that is missing makes a followed run bounded") {
  const Followed run = followed(kUnet, "Net()", kStep);
  REQUIRE(run.report != nullptr);
  REQUIRE(run.report->estimate.vram);
  CHECK_FALSE(run.report->estimate.vram->bounded_above);
  CHECK(run.report->run->with({{"image_size", "256"}}).facts().image_size.has_value());
}

TEST_CASE("what nobody can follow leaves a lower bound that names it") {
  const std::string network = R"(
from elsewhere import fancy
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 32, 3, padding=1)
    def forward(self, x):
        return self.b(fancy(self.a(x)))
)";
  const Followed run = followed(network, "Net()", kStep);
  REQUIRE(run.model() != nullptr);
  REQUIRE_FALSE(run.model()->missing.empty());
  const std::vector<std::string>& missing = run.model()->missing;
  CHECK(std::any_of(missing.begin(), missing.end(), [](const std::string& each) {
    return each.starts_with("elsewhere.fancy at train.py:");
  }));
}

TEST_CASE("a step of which a part is missing has no time") {
  const auto has_time = [](const std::string& between) {
    const Followed run = followed("from elsewhere import fancy\nclass Net(nn.Module):\n"
                                  "    def __init__(self):\n        super().__init__()\n"
                                  "        self.a = nn.Conv2d(3, 32, 3, padding=1)\n"
                                  "    def forward(self, x):\n        return " +
                                      between + "(self.a(x))\n",
                                  "Net()", kStep,
                                  "lr: 0.001\nbatch_size: 8\nepochs: 3\nimage_size: 64\n");
    REQUIRE(run.report != nullptr);
    return run.report->estimate.step_time.has_value();
  };
  CHECK(has_time("F.relu"));
  CHECK_FALSE(has_time("fancy"));
}

TEST_CASE("passes without gradients keep nothing") {
  const std::string step =
      "            with torch.no_grad():\n"
      "                other = net(x)\n"
      "            loss = criterion(net(x), y)\n";
  const Followed once = followed(kResidual, "Net()", kStep);
  const Followed twice = followed(kResidual, "Net()", step);
  CHECK(saved(once, 8, "image_size", 64) == saved(twice, 8, "image_size", 64));
}

TEST_CASE("a network that is called twice keeps both passes and has its weights once") {
  const std::string step = "            loss = criterion(net(x), y) + criterion(net(x + 1), y)\n";
  const Followed once = followed(kResidual, "Net()", kStep);
  const Followed twice = followed(kResidual, "Net()", step);
  CHECK(saved(once, 8, "image_size", 64) > 0);
  CHECK(saved(twice, 8, "image_size", 64) * 10 > saved(once, 8, "image_size", 64) * 18);
  REQUIRE(once.report != nullptr);
  REQUIRE(twice.report != nullptr);
  CHECK(once.report->run->facts().parameters->value ==
        twice.report->run->facts().parameters->value);
}

TEST_CASE("images are halved as often as a network does, and joined with what they were") {
  const std::string network =
      "\nclass Block(nn.Module):\n"
      "    def __init__(self, inner):\n"
      "        super().__init__()\n"
      "        self.down = nn.Conv2d(8, 8, 4, 2, 1)\n"
      "        self.inner = inner\n"
      "        self.up = nn.ConvTranspose2d(16 if inner else 8, 8, 4, 2, 1)\n"
      "    def forward(self, x):\n"
      "        y = self.down(x)\n"
      "        return torch.cat([x, self.up(self.inner(y) if self.inner else y)], 1)\n"
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.first = nn.Conv2d(3, 8, 3, padding=1)\n"
      "        block = None\n"
      "        for _ in range(8): block = Block(block)\n"
      "        self.block = block\n"
      "    def forward(self, x): return self.block(self.first(x))\n";
  CHECK(played(followed(network, "Net()", kStep), 4, "image_size", 256));
}

}  // namespace followed_networks_test
