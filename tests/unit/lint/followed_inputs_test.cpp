// What a step makes of its inputs before the first layer that reads them tells their sizes.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace followed_inputs_test {

using namespace gpulint;

namespace {

constexpr const char* kImages = R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 32, 3, padding=1)
        self.b = nn.Conv2d(32, 8, 3, padding=1)
    def forward(self, x): return self.b(F.relu(self.a(x)))
)";

/// Reads a vector of 784 behind what is done to its input.
std::string flat(const std::string& forward) {
  return "\nclass Net(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.a = nn.Linear(784, 512)\n"
         "        self.b = nn.Linear(512, 10)\n"
         "    def forward(self, x):\n" +
         forward + "        return self.b(F.relu(self.a(x)))\n";
}

/// Bytes of 256 inputs of 784 numbers and of the 512 activations behind each.
constexpr std::int64_t kFlat = 256 * (784 + 512) * 4;

bool is_whole(const Followed& run) {
  return run.model() != nullptr && run.model()->missing.empty();
}

}  // namespace

TEST_CASE("an input that is flattened before its first layer has the rows of the batch") {
  for (const char* const forward :
       {"        x = x.view(x.size(0), -1)\n", "        x = torch.flatten(x, 1)\n",
        "        b, c, h, w = x.shape\n        x = x.reshape(b, -1)\n"}) {
    CAPTURE(forward);
    const Followed run = followed(flat(forward), "Net()", kStep);
    CHECK(saved(run, 256, "", 0) > kFlat * 9 / 10);
    CHECK(saved(run, 256, "", 0) < kFlat * 12 / 10);
  }
}

TEST_CASE("an input has the size that the layers behind it are made for") {
  const auto classifier = [](const std::string& features) {
    return "\nclass Net(nn.Module):\n"
           "    def __init__(self):\n"
           "        super().__init__()\n"
           "        self.a = nn.Conv2d(1, 64, 5)\n"
           "        self.b = nn.Linear(" +
           features +
           ", 10)\n"
           "    def forward(self, x):\n"
           "        x = F.max_pool2d(F.relu(self.a(x)), 2)\n"
           "        return self.b(torch.flatten(x, 1))\n";
  };
  // 28 pixels: 64 maps of 24 by 24, of which 12 by 12 are kept.
  const Followed fitting = followed(classifier("64 * 12 * 12"), "Net()", kStep);
  CHECK(is_whole(fitting));
  const std::int64_t maps = std::int64_t{64} * 24 * 24 * 4 * 32;
  CHECK(saved(fitting, 32, "", 0) > maps);
  CHECK(saved(fitting, 32, "", 0) < 3 * maps);
  // No image has 7 by 11 maps behind these layers.
  CHECK(followed(classifier("64 * 77"), "Net()", kStep).model() == nullptr);

  const auto positions = [](const std::string& sum) {
    return "\nclass Net(nn.Module):\n"
           "    def __init__(self):\n"
           "        super().__init__()\n"
           "        self.e = nn.Embedding(100, 32)\n"
           "        self.register_buffer('places', torch.zeros(1, 600, 32))\n"
           "        self.b = nn.Linear(32, 100)\n"
           "    def forward(self, x):\n"
           "        return self.b(" +
           sum + ")\n";
  };
  const Followed whole = followed(positions("self.e(x) + self.places"), "Net()", kStep);
  CHECK(is_whole(whole));
  CHECK(saved(whole, 8, "", 0) > std::int64_t{8} * 600 * 132 * 4);
  const std::string part = "self.e(x) + self.places[:, :x.shape[1]]";
  const Followed cut = followed(positions(part), "Net()", kStep);
  CHECK(saved(cut, 8, "sequence_length", 600) ==
        doctest::Approx(2.0 * static_cast<double>(saved(cut, 8, "sequence_length", 300))));
}

TEST_CASE("a network that asks what its batch is takes a dict of tensors") {
  for (const char* const asks : {"type(batch) is dict", "isinstance(batch, dict)"}) {
    CAPTURE(asks);
    const std::string network = std::string("\nclass Net(nn.Module):\n"
                                            "    def __init__(self):\n"
                                            "        super().__init__()\n"
                                            "        self.a = nn.Linear(784, 512)\n"
                                            "    def forward(self, batch):\n"
                                            "        if ") +
                                asks +
                                ":\n"
                                "            return self.a(batch['image'])\n"
                                "        return batch\n";
    CHECK(saved(followed(network, "Net()", kStep), 256, "", 0) >= std::int64_t{256} * 784 * 4);
  }
}

TEST_CASE("two views of a sample in one batch are twice as many rows") {
  const std::string joined =
      std::string(kImages).replace(std::string(kImages).find("x): return"), 10,
                                   "x):\n        x = torch.cat([x, x + 1], dim=0)\n        return");
  const Followed once = followed(kImages, "Net()", kStep);
  const Followed twice = followed(joined, "Net()", kStep);
  CHECK(saved(once, 8, "image_size", 64) > 0);
  CHECK(saved(twice, 8, "image_size", 64) ==
        doctest::Approx(2.0 * static_cast<double>(saved(once, 8, "image_size", 64))).epsilon(0.2));
}

TEST_CASE("rows that nobody can count leave a lower bound") {
  const Followed run = followed(
      flat("        b, t, c, h, w = x.shape\n        x = x.view(b * t, -1)\n"), "Net()", kStep);
  CHECK_FALSE(is_whole(run));
}

TEST_CASE("a batch of graphs has a row per node, and nobody knows how many those are") {
  for (const char* const import : {"from torch_geometric.nn import global_mean_pool\n", "import dgl\n"}) {
    CAPTURE(import);
    const std::string network = import + flat("        x = x.float()\n");
    CHECK_FALSE(is_whole(followed(network, "Net()", kStep)));
    CHECK_FALSE(is_whole(followed(network, "Net()", "            loss = criterion(net(x.x), x.y)\n")));
  }
  CHECK(is_whole(followed(flat("        x = x.float()\n"), "Net()", kStep)));
}

TEST_CASE("a condition on whole numbers is decided in a network that a loop calls") {
  const std::string network =
      "def embedded(t, size):\n"
      "    e = t.float()[:, None] * torch.arange(size // 2)[None, :]\n"
      "    e = torch.cat([torch.sin(e), torch.cos(e)], dim=1)\n"
      "    if size % 2 == 1:\n"
      "        e = F.pad(e, (0, 1, 0, 0))\n"
      "    return e\n" +
      flat("        x = embedded(x, 784)\n");
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("data behind a function of a library has the rows of the batch") {
  const std::string network =
      "import torchaudio\n" + flat("        x = torchaudio.functional.gain(x, 2)\n");
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("a batch that is split among the devices there are needs at most all of it on one") {
  const Followed one = followed(kImages, "Net()", kStep);
  const Followed split = followed(kImages, "nn.DataParallel(Net())", kStep);
  CHECK(saved(split, 8, "image_size", 64) == saved(one, 8, "image_size", 64));
  REQUIRE(split.model() != nullptr);
  CHECK(split.model()->followed < 0.2);  // of the loss alone, which has the whole batch
  const std::string step =
      "            if torch.cuda.device_count() > 1:\n"
      "                net = nn.DataParallel(net)\n" +
      std::string(kStep);
  CHECK(saved(followed(kImages, "Net()", step), 8, "image_size", 64) ==
        saved(one, 8, "image_size", 64));
}

TEST_CASE("rows of features that positions are added to are as many as the positions") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(86, 64)\n"
      "        self.positions = nn.Parameter(torch.zeros(1, 100, 64))\n"
      "        self.head = nn.Linear(64, 10)\n"
      "    def forward(self, x): return self.head(self.a(x) + self.positions)\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK(is_whole(run));
  const std::int64_t features = std::int64_t{8} * 100 * 64 * 4;
  CHECK(saved(run, 8, "", 0) >= features);
  CHECK(saved(run, 8, "", 0) < 4 * features);
}

TEST_CASE("the size that one input must have says nothing of a second one") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.words = nn.Embedding(50, 64)\n"
      "        self.kinds = nn.Embedding(3, 64)\n"
      "        self.positions = nn.Parameter(torch.zeros(1, 100, 64))\n"
      "        self.cross = nn.MultiheadAttention(64, 4, batch_first=True)\n"
      "        self.head = nn.Linear(64, 10)\n";
  const std::string forward = "        x = self.words(x) + self.positions\n";
  // Kinds of words are added to them: there are as many.
  CHECK(is_whole(followed(network + "    def forward(self, x, y):\n" + forward +
                              "        return self.head(x + self.kinds(y))\n",
                          "Net()", "            loss = net(x, y).mean()\n")));
  const Followed across =
      followed(network + "    def forward(self, x, y):\n" + forward +
                   "        y = self.kinds(y)\n"
                   "        return self.head(x + self.cross(x, y, y)[0])\n",
               "Net()", "            loss = net(x, y).mean()\n");
  REQUIRE(across.model() != nullptr);
  CHECK(across.model()->missing == std::vector<std::string>{"the size of a second input"});
  CHECK(across.model()->followed < 1);
}

TEST_CASE("a network that a step calls and that is not followed to its end is said to be there") {
  const std::string made =
      "Net()\n    class Teacher(Net):\n"
      "        def forward(self, x): return unknown_to_all(super().forward(x))\n"
      "    teacher = Teacher()\n    teacher.eval()";
  const auto step = [](const std::string& context) {
    return "            with " + context + ":\n                wanted = teacher(x)\n"
           "            loss = (net(x) - wanted).pow(2).mean()\n";
  };
  const Followed run = followed(kImages, made, step("torch.no_grad()"));
  REQUIRE(run.model() != nullptr);
  REQUIRE(run.model()->missing.size() == 1);
  CHECK(run.model()->missing.front() == "Teacher, which is called and not trained");
}

TEST_CASE("an embedding is as large as the tokenizer of a published model") {
  const std::string network =
      "from transformers import AutoTokenizer\n"
      "class Words:\n"
      "    def __init__(self, name): self.inner = AutoTokenizer.from_pretrained(name)\n"
      "    def __len__(self): return len(self.inner)\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, words):\n"
      "        super().__init__()\n"
      "        self.e = nn.Embedding(len(words), 8)\n"
      "        self.a = nn.Linear(8, 8, bias=False)\n"
      "    def forward(self, x): return self.a(self.e(x))\n";
  const auto counted = [&](const std::string& name) {
    const Followed run = followed(network, "Net(Words('" + name + "'))", kStep);
    const bool is_known =
        run.report != nullptr && run.report->run && run.report->run->facts().parameters;
    return is_known ? run.report->run->facts().parameters->value : -1;
  };
  CHECK(counted("openai-community/gpt2") == 50257 * 8 + 64);
  CHECK(counted("our-lab/words") <= 64);
}

TEST_CASE("a map of a written size says how large the images are, and all their channels") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.colour = nn.Conv2d(3, 32, 3, stride=4, padding=1)\n"
      "        self.depth = nn.Conv2d(1, 32, 3, stride=4, padding=1)\n"
      "        self.head = nn.Conv2d(64, 2, 1)\n"
      "    def forward(self, x):\n"
      "        a = F.interpolate(self.colour(x[:, :3]), size=(128, 128))\n"
      "        return self.head(torch.cat([a, self.depth(x[:, 3:])], dim=1))\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "", 0) > 8 * 64 * 128 * 128 * 4);
}

TEST_CASE("positions of which as many are taken as there are words are the most there may be") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.words = nn.Embedding(100, 64)\n"
      "        self.positions = nn.Parameter(torch.randn(1, 128, 64))\n"
      "        self.head = nn.Linear(64, 10)\n"
      "    def forward(self, x):\n"
      "        n = x.shape[1]\n"
      "        return self.head(self.words(x) + self.positions[:, :n])\n";
  const Followed run = followed(network, "Net()", kStep);
  REQUIRE(is_whole(run));
  CHECK(run.model()->followed < 0.01);
}

TEST_CASE("rows of a table that was loaded are data of as many rows as their index") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        codes = torch.cat((torch.load('codes.pt'), torch.zeros((2, 784))), 0)\n"
      "        self.register_buffer('codes', codes)\n"
      "        self.a = nn.Linear(784, 512)\n"
      "        self.b = nn.Linear(512, 10)\n"
      "    def forward(self, x):\n"
      "        return self.b(F.relu(self.a(self.codes[x.long(), :])))\n";
  const Followed run = followed(network, "Net()", kStep);
  CHECK(is_whole(run));
  CHECK(saved(run, 256, "", 0) > kFlat * 9 / 10);
}

TEST_CASE("a mask that is only made like a tensor takes no gradient of it") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.words = nn.Embedding(100, 64)\n"
      "        self.head = nn.Linear(64, 10)\n"
      "    def forward(self, x):\n"
      "        x = self.words(x)\n"
      "        return self.head(x * elsewhere().type_as(x))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("a map that is resized to a label is as large as the images") {
  const auto resized = [](const std::string& size) {
    return followed(
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.a = nn.Conv2d(3, 16, 4, stride=4)\n"
        "    def forward(self, x, y):\n"
        "        out = F.interpolate(self.a(x), size=" +
            size + ", mode='bilinear')\n        return F.cross_entropy(out, y)\n",
        "Net()", "            loss = net(x, y)\n");
  };
  // The image, and the logarithm of the softmax of the large map.
  const std::int64_t kept = std::int64_t{8} * 256 * 256 * (3 + 16) * 4;
  for (const char* size : {"y.shape[-2:]", "y.shape[1:]", "y.size()[-2:]"}) {
    const Followed run = resized(size);
    const std::int64_t own = saved(run, 8, "image_size", 256);
    CHECK(own >= kept);
    CHECK(own < kept + kept / 5);  // and the classes
    REQUIRE(run.model() != nullptr);
    CHECK(run.model()->followed < 0.5);  // the lower end has none of it
  }
  CHECK(saved(resized("sizes_of(y)"), 8, "image_size", 256) == 0);
}

}  // namespace followed_inputs_test
