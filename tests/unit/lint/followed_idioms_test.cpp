// Ways in which the steps of projects are written, and what is made of them.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_idioms_test {

using namespace gpulint;

namespace {

/// A convolution to 32 channels and one back to one, with something done between the two.
std::string around(const std::string& forward, const std::string& classes = "",
                   const std::string& made = "") {
  return "\n" + classes +
         "class Net(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.a = nn.Conv2d(3, 32, 3, padding=1)\n"
         "        self.b = nn.Conv2d(32, 1, 3, padding=1)\n" +
         made +
         "    def forward(self, x):\n"
         "        h = self.a(x)\n" +
         forward + "        return self.b(h)\n";
}

bool is_whole(const Followed& run) {
  return run.model() != nullptr && run.model()->missing.empty();
}

std::int64_t kept(const Followed& run) { return saved(run, 8, "image_size", 64); }

constexpr const char* kMean = "            loss = net(x).mean()\n";
/// A map of 32 channels, of 8 images of 64 pixels.
constexpr std::int64_t kMap = std::int64_t{8} * 32 * 64 * 64 * 4;

}  // namespace

TEST_CASE("a loss that is not reduced has a number for each pixel") {
  for (const char* const loss : {"F.binary_cross_entropy_with_logits(net(x), y, reduction='none')",
                                 "nn.BCEWithLogitsLoss(reduction='none')(net(x), y)",
                                 "F.binary_cross_entropy(net(x).sigmoid(), y, reduce=False)"}) {
    CAPTURE(loss);
    const Followed run =
        followed(around(""), "Net()",
                 std::string("            loss = (") + loss + " * y).sum(dim=(2, 3)).mean()\n");
    CHECK(is_whole(run));
  }
  // One for each pixel, whatever many classes there are.
  const Followed classes =
      followed(around(""), "Net()",
               "            loss = nn.CrossEntropyLoss(reduction='none')(net(x), y)\n"
               "            loss = loss.mean(dim=(1, 2)).mean()\n");
  CHECK(is_whole(classes));
  // Dimensions that a mean does not have.
  CHECK_FALSE(is_whole(followed(around(""), "Net()",
                                "            loss = F.cross_entropy(net(x), y).mean(dim=1)\n")));
}

TEST_CASE("a function with a backward pass of its own keeps what it saves for that") {
  const auto layer = [](const std::string& saves) {
    return "class Squash(torch.autograd.Function):\n"
           "    @staticmethod\n"
           "    def forward(ctx, x, weight):\n"
           "        y = (x - x.mean(1, keepdim=True)) / x.var(1, keepdim=True).sqrt()\n" +
           saves +
           "        return weight.view(1, -1, 1, 1) * y\n"
           "    @staticmethod\n"
           "    def backward(ctx, grad):\n"
           "        y, weight = ctx.saved_tensors\n"
           "        return grad * weight.view(1, -1, 1, 1), (grad * y).sum(dim=(0, 2, 3))\n";
  };
  const std::string weight = "        self.w = nn.Parameter(torch.ones(32))\n";
  const std::string forward = "        h = Squash.apply(h, self.w)\n";
  const Followed saves = followed(
      around(forward, layer("        ctx.save_for_backward(y, weight)\n"), weight), "Net()", kMean);
  CHECK(is_whole(saves));
  // What is normalized, and what the second convolution reads.
  CHECK(kept(saves) > 2 * kMap);
  CHECK(kept(saves) < 2 * kMap + kMap / 2);
  const Followed plain = followed(around(forward, layer(""), weight), "Net()", kMean);
  CHECK(is_whole(plain));
  // It may be what it was given: a copy counts in the upper end only.
  CHECK(plain.model()->followed < 1);
  CHECK(kept(plain) > 2 * kMap);
  CHECK(kept(plain) < 2 * kMap + kMap / 2);
}

TEST_CASE("sizes that differ for all inputs are told apart") {
  const std::string forward =
      "        half = F.max_pool2d(h, 2)\n"
      "        if half.shape[2:] != h.shape[2:]:\n"
      "            half = F.interpolate(half, size=h.shape[2:])\n"
      "        h = h + half\n";
  const Followed run = followed(around(forward), "Net()", kMean);
  CHECK(is_whole(run));
  CHECK(run.model()->followed == 1);  // nothing of it is in doubt
}

TEST_CASE("an image is as large as it is before it is padded") {
  const std::string network =
      "\nclass Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.Conv2d(3, 32, 3, stride=2)\n"
      "        self.b = nn.Conv2d(32, 1, 3, padding=1)\n"
      "    def forward(self, x):\n"
      "        h = self.a(F.pad(x, (0, 1, 0, 1), 'constant', 0))\n"
      "        return self.b(h + F.interpolate(F.max_pool2d(h, 2), scale_factor=2))\n";
  CHECK(is_whole(followed(network, "Net()", kMean)));
}

TEST_CASE("a loop over the samples that makes nothing of them is followed") {
  const auto loop = [](const std::string& body) {
    return "        for i in range(h.shape[0]):\n" + body;
  };
  const std::string masks = "            start = torch.randint(0, 8, (1,)).item()\n";
  CHECK(is_whole(followed(around(loop(masks)), "Net()", kMean)));
  // One that works on each of them is not.
  const std::string works = "            h = h + self.a(x[i:i + 1]).mean()\n";
  CHECK_FALSE(is_whole(followed(around(loop(works)), "Net()", kMean)));
}

TEST_CASE("tensors are summed by the function for numbers") {
  const std::string forward = "        h = sum(self.a(x) for _ in range(2)) + h\n";
  CHECK(is_whole(followed(around(forward), "Net()", kMean)));
}

TEST_CASE("tensors are made like others, scattered and summed by letters") {
  for (const char* const forward :
       {"        h = h + h.new(*h.size()).normal_(0, 1)\n",
        "        h = h.scatter_add(1, torch.zeros_like(h).long(), h)\n",
        "        h = h * torch.einsum('bchw->bc', h).unsqueeze(-1).unsqueeze(-1)\n"}) {
    CAPTURE(forward);
    CHECK(is_whole(followed(around(forward), "Net()", kMean)));
  }
}

TEST_CASE("a weight that a step replaces has the sizes of what it is made of") {
  const std::string made =
      "        self.table = nn.Embedding(64, 32)\n"
      "        self.sums = nn.Parameter(torch.zeros(64, 32))\n";
  const std::string forward =
      "        flat = h.permute(0, 2, 3, 1).reshape(-1, 32)\n"
      "        near = torch.matmul(flat, self.table.weight.t())\n"
      "        if self.training:\n"
      "            sums = torch.matmul(near.t(), flat)\n"
      "            self.table.weight = nn.Parameter(self.sums * 0.9 + sums * 0.1)\n";
  const std::string twice = "            loss = (net(x) + net(x)).mean()\n";
  CHECK(is_whole(followed(around(forward, "", made), "Net()", twice)));
}

TEST_CASE("a copy of what is trained takes at most what that takes") {
  const std::string teacher = around("") +
                              "class Teacher(nn.Module):\n"
                              "    def __init__(self):\n"
                              "        super().__init__()\n"
                              "        self.a = nn.Conv2d(3, 64, 3, padding=1)\n"
                              "    def forward(self, x): return self.a(x).mean(1)\n"
                              "class Other(Teacher):\n"
                              "    def forward(self, x): return unknown_to_all(self.a(x))\n";
  const auto beside = [&](const std::string& other) {
    return followed(teacher, "Net()\n    average = " + other,
                    "            with torch.no_grad():\n"
                    "                wanted = average(x).mean()\n"
                    "            loss = (net(x) - wanted).mean()\n");
  };
  const Followed copied = beside("Net()");
  CHECK(is_whole(copied));
  CHECK(copied.model()->followed < 1);
  CHECK(kept(copied) > kept(followed(teacher, "Net()", kMean)) + kMap);
  // So does a network of another class, if all that it makes is known.
  CHECK(is_whole(beside("Teacher()")));
  CHECK_FALSE(is_whole(beside("Other()")));
}

TEST_CASE("grids of points are as large as their edges say") {
  const std::string made =
      "        g = torch.meshgrid(torch.linspace(0, 1, 4), torch.linspace(0, 1, 8))\n"
      "        self.grid = nn.Parameter(torch.stack(g).view(2, -1))\n";
  const Followed run =
      followed(around("        h = h + self.grid.sum()\n", "", made), "Net()", kMean);
  CHECK(is_whole(run));
}

}  // namespace followed_idioms_test
