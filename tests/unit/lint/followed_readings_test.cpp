// Inputs that a layer reads in more than one form, and what is known of them before a layer tells.

#include "unit/lint/followed_project.h"

#include <doctest/doctest.h>

#include <string>

namespace followed_readings_test {

using namespace gpulint;

namespace {

bool is_whole(const Followed& run) {
  return run.model() != nullptr && run.model()->missing.empty();
}

constexpr const char* kBegin =
    "\nclass Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n";
constexpr const char* kBoth = "            loss = net(x, y).mean()\n";

}  // namespace

TEST_CASE("a vector and rows that one network reads are told apart") {
  const std::string layers = std::string(kBegin) +
                             "        self.state = nn.Linear(14, 64)\n"
                             "        self.steps = nn.Linear(7, 64)\n"
                             "        self.head = nn.Linear(64, 7)\n";
  const Followed joined =
      followed(layers +
                   "    def forward(self, state, steps):\n"
                   "        first = self.state(state).unsqueeze(1)\n"
                   "        return self.head(torch.cat([first, self.steps(steps)], dim=1))\n",
               "Net()", kBoth);
  CHECK(is_whole(joined));
  CHECK(saved(joined, 8, "sequence_length", 100) > 8 * 100 * 64 * 4);
  CHECK(saved(joined, 8, "sequence_length", 200) < 8 * 200 * 100 * 4);
  const Followed scaled =
      followed(layers +
                   "    def forward(self, state, steps):\n"
                   "        scale = self.state(state)\n"
                   "        return self.head(self.steps(steps) * (1 + scale.unsqueeze(1)))\n",
               "Net()", kBoth);
  CHECK(is_whole(scaled));
}

TEST_CASE("an embedding that meets one vector per sample is of one word per sample") {
  const std::string network = std::string(kBegin) +
                              "        self.kind = nn.Embedding(10, 32)\n"
                              "        self.a = nn.Conv2d(3, 32, 3, padding=1)\n"
                              "        self.b = nn.Conv2d(32, 3, 3, padding=1)\n"
                              "    def forward(self, x, y):\n"
                              "        return self.b(self.a(x) + self.kind(y)[:, :, None, None])\n";
  const Followed run = followed(network, "Net()", kBoth);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "image_size", 64) > 8 * 64 * 64 * 35 * 4);
}

TEST_CASE("sizes that code takes apart say how many dimensions an input has") {
  const auto network = [](const std::string& names) {
    return std::string(kBegin) +
           "        self.a = nn.Linear(86, 64)\n"
           "        self.b = nn.Linear(64, 10)\n"
           "    def forward(self, x):\n"
           "        " +
           names + " = x.shape\n        return self.b(F.relu(self.a(x)))\n";
  };
  const Followed vectors = followed(network("n, c"), "Net()", kStep);
  CHECK(is_whole(vectors));
  CHECK(saved(vectors, 256, "", 0) > 256 * 64 * 4);
  const Followed rows = followed(network("n, t, c"), "Net()", kStep);
  CHECK(is_whole(rows));
  CHECK(saved(rows, 8, "sequence_length", 100) > 8 * 100 * (86 + 64) * 4);
  // Two sizes beside the features, of which nobody knows how they go together.
  CHECK_FALSE(is_whole(followed(network("n, h, w, c"), "Net()", kStep)));
}

TEST_CASE("a pattern of einops moves the dimensions of an input that nobody knows yet") {
  const auto network = [](const std::string& pattern) {
    return "from einops import rearrange\n" + std::string(kBegin) +
           "        self.a = nn.Conv1d(3, 64, 3, padding=1)\n"
           "        self.b = nn.Conv1d(64, 10, 1)\n"
           "    def forward(self, x):\n"
           "        return self.b(F.relu(self.a(rearrange(x, " +
           pattern + "))))\n";
  };
  const Followed moved = followed(network("'b l c -> b c l'"), "Net()", kStep);
  CHECK(is_whole(moved));
  CHECK(saved(moved, 8, "sequence_length", 1000) > 8 * 1000 * 64 * 4);
  const Followed split = followed(network("'(b k) c l -> b c (k l)', k=2"), "Net()", kStep);
  CHECK(is_whole(split));
  CHECK(saved(split, 8, "sequence_length", 1000) <
        saved(moved, 8, "sequence_length", 1000) * 2 / 3);
  // Nobody knows how many rows these are.
  CHECK_FALSE(is_whole(followed(network("'b t c l -> (b t) c l'"), "Net()", kStep)));
}

TEST_CASE("what nobody knows beside data is data, and not beside what a gradient passes") {
  const auto network = [](const std::string& forward) {
    return std::string(kBegin) +
           "        self.a = nn.Conv2d(5, 32, 3, padding=1)\n"
           "        self.b = nn.Conv2d(32, 8, 3, padding=1)\n"
           "        self.c = nn.Conv2d(40, 8, 3, padding=1)\n"
           "    def places(self, x):\n"
           "        h, w = x.shape[2], x.shape[3]\n"
           "        return torch.linspace(0, 1, h).reshape(1, 1, h, 1).repeat(1, 2, 1, w)\n"
           "    def forward(self, x):\n" +
           forward;
  };
  const std::string data = "        return self.b(self.a(torch.cat((x, self.places(x)), dim=1)))\n";
  const Followed run = followed(network(data), "Net()", kStep);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "image_size", 64) > 8 * 64 * 64 * (5 + 32) * 4);
  const std::string behind = "        x = self.a(x)\n"
                             "        return self.c(torch.cat((x, elsewhere(x)), dim=1))\n";
  CHECK_FALSE(is_whole(followed(network(behind), "Net()", kStep)));
}

TEST_CASE("numbers that are drawn for each sample have one dimension") {
  const std::string network =
      std::string(kBegin) +
      "        self.a = nn.Conv2d(3, 64, 3, padding=1)\n"
      "        self.t = nn.Linear(32, 64)\n"
      "        self.b = nn.Conv2d(64, 3, 3, padding=1)\n"
      "    def forward(self, x, t):\n"
      "        if not torch.is_tensor(t): t = torch.tensor([t])\n"
      "        elif len(t.shape) == 0: t = t[None]\n"
      "        t = t.expand(x.shape[0])\n"
      "        e = t[:, None].float() * torch.arange(16)[None, :]\n"
      "        e = self.t(torch.cat([torch.sin(e), torch.cos(e)], dim=-1))\n"
      "        return self.b(self.a(x) + e[:, :, None, None])\n";
  const std::string step = "            t = torch.randint(0, 1000, (x.shape[0],)).long()\n"
                           "            loss = criterion(net(x, t), y)\n";
  const Followed run = followed(network, "Net()", step);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "image_size", 64) > 8 * 64 * 64 * (3 + 64) * 4);
}

TEST_CASE("what a matrix makes of data is data, and of something unknown nobody knows what") {
  const auto network = [](const std::string& forward) {
    return std::string(kBegin) +
           "        self.a = nn.Conv1d(64, 32, 3, padding=1)\n"
           "        self.b = nn.Conv1d(32, 8, 3, padding=1)\n"
           "    def forward(self, x):\n" +
           forward;
  };
  const std::string filtered = "        x = torch.matmul(torch.zeros(64, 513), x)\n"
                               "        return self.b(self.a(x))\n";
  const Followed run = followed(network(filtered), "Net()", kStep);
  CHECK(is_whole(run));
  CHECK(saved(run, 8, "sequence_length", 1000) > 8 * 1000 * (64 + 32) * 4);
  const std::string mixed = "        x = self.a(x)\n"
                            "        return self.b(x @ elsewhere())\n";
  const Followed lost = followed(network(mixed), "Net()", kStep);
  REQUIRE(lost.model() != nullptr);
  CHECK_FALSE(lost.model()->missing.empty());
}

TEST_CASE("a size of a pattern that nobody knows follows from the tensor") {
  const std::string network = "from einops import rearrange\n" + std::string(kBegin) +
                              "        self.words = nn.Embedding(100, 64)\n"
                              "        self.a = nn.Linear(64, 64)\n"
                              "    def forward(self, x):\n"
                              "        x = self.words(x)\n"
                              "        x = rearrange(x, 'b t c -> b c t', t=elsewhere())\n"
                              "        return self.a(x.transpose(1, 2))\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("maps that are halved seven times follow from the size of the image") {
  std::string network = std::string(kBegin) +
                        "        self.a = nn.ModuleList([nn.Conv2d(3 if i == 0 else 16, 16, 3, "
                        "stride=2, padding=1) for i in range(7)])\n"
                        "    def forward(self, x):\n"
                        "        for each in self.a: x = each(x)\n"
                        "        return x\n";
  CHECK(is_whole(followed(network, "Net()", kStep)));
}

TEST_CASE("the rows of a transposed input are as many as nobody knows") {
  const auto network = [](const std::string& turned) {
    return std::string(kBegin) +
           "        self.a = nn.Linear(96, 512)\n"
           "    def forward(self, x):\n"
           "        return self.a(" +
           turned + ")\n";
  };
  const auto missing = [&](const std::string& turned) {
    const Followed run = followed(network(turned), "Net()", "            loss = net(x).mean()\n");
    REQUIRE(run.model() != nullptr);
    return run.model()->missing;
  };
  const std::vector<std::string> rows = {"how many rows a transposed input has"};
  CHECK(missing("x.permute(0, 2, 1)") == rows);
  CHECK(missing("x.transpose(1, 2)") == rows);
  CHECK(missing("x.transpose(-1, -2) * 2 + 1") == rows);
  CHECK(missing("x.permute(0, 2, 1).permute(0, 2, 1)").empty());
  CHECK(missing("x").empty());
}

TEST_CASE("images and rows beside them have a size each") {
  const auto network = [](const std::string& forward) {
    return std::string(kBegin) +
           "        self.a = nn.Conv2d(3, 64, 16, stride=16)\n"
           "        self.words = nn.Embedding(100, 64)\n"
           "        self.b = nn.Linear(64, 64)\n"
           "    def forward(self, x, y):\n"
           "        x = self.a(x).flatten(2).transpose(1, 2)\n"
           "        y = self.words(y)\n" +
           forward;
  };
  const auto kept = [](const Followed& run, std::int64_t image, std::int64_t words) {
    REQUIRE(run.model() != nullptr);
    CHECK(run.model()->missing.empty());
    const std::map<std::string, expr::Value> dimensions{
        {"batch", std::int64_t{8}}, {"image_size", image}, {"sequence_length", words}};
    model::ExecutionOptions execution;
    execution.attention = model::AttentionBackend::explicit_math;
    const auto tape = model::run_program(*run.model()->program, dimensions, {}, execution);
    REQUIRE(tape);
    return tape->saved_bytes(model::StorageKind::activation);
  };
  // 16 by 16 patches and 100 words, of 64 features each.
  const Followed joined =
      followed(network("        return self.b(torch.cat([x, y], dim=1))\n"), "Net()", kBoth);
  const std::int64_t tokens = std::int64_t{8} * (256 + 100) * 64 * 4;
  CHECK(kept(joined, 256, 100) >= tokens);
  CHECK(kept(joined, 256, 100) < tokens + std::int64_t{8} * 3 * 256 * 256 * 4 + tokens);
  CHECK(kept(joined, 256, 200) - kept(joined, 256, 100) >= std::int64_t{8} * 100 * 64 * 4);
  // A row of weights for each pair of a patch and a word.
  const Followed crossed = followed(
      network("        return self.b((x @ y.transpose(1, 2)).softmax(-1) @ y)\n"), "Net()", kBoth);
  const std::int64_t more = kept(crossed, 256, 200) - kept(crossed, 256, 100);
  CHECK(more >= std::int64_t{8} * 256 * 100 * 4);
  CHECK(kept(crossed, 512, 200) - kept(crossed, 512, 100) > 3 * more);
}

}  // namespace followed_readings_test
