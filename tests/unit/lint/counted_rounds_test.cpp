// What the rounds of loops are: steps of the optimizer, epochs, micro-batches.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace counted_rounds_test {

using namespace gpulint;

/// A script that trains by `loop`.
Project trained_by(const std::string& loop) {
  return Project({{".git/HEAD", ""},
                  {"train.py",
                   "import torch\nfrom torch.utils.data import DataLoader\n"
                   "model = torch.nn.Linear(4, 4)\ncritic = torch.nn.Linear(4, 4)\n"
                   "optimizer = torch.optim.Adam(model.parameters(), lr=0.1)\n"
                   "opt_d = torch.optim.Adam(critic.parameters(), lr=0.1)\n"
                   "loader = DataLoader(make('train'), batch_size=8, shuffle=True)\n"
                   "def train(net, opt, x):\n"
                   "    opt.zero_grad()\n    net(x).sum().backward()\n    opt.step()\n" +
                       loop}},
                 "train.py");
}

std::string accumulated(const std::string& body) {
  const std::string fact =
      trained_by("for epoch in range(3):\n    for i, x in enumerate(loader):\n" + body)
          .fact("gradient_accumulation_steps");
  return fact.substr(0, fact.find(' '));
}

const std::string kBackward = "        model(x).sum().backward()\n";

TEST_CASE("gradients are accumulated where a step is made in every n-th round alone") {
  CHECK(accumulated(kBackward + "        if (i + 1) % 4 == 0:\n            optimizer.step()\n") ==
        "4");
  CHECK(accumulated(kBackward + "        if not (i + 1) % 4:\n            optimizer.step()\n") ==
        "4");
  CHECK(accumulated(kBackward + "        if (i + 1) % 4 != 0:\n            continue\n"
                                "        optimizer.step()\n") == "4");
  CHECK(accumulated(kBackward + "        if (i + 1) % 4:\n            pass\n"
                                "        else:\n            optimizer.step()\n") == "4");
}

TEST_CASE("a bar around what counts the steps counts as many") {
  const auto steps = [](const std::string& bar) {
    return trained_by("def batches():\n    while True:\n        for x in loader:\n"
                      "            yield x\n"
                      "data = batches()\nbar = range(900)\n" +
                      bar + "for i in bar:\n    train(model, optimizer, next(data))\n")
        .fact("max_steps")
        .substr(0, 3);
  };
  CHECK(steps("") == "900");
  CHECK(steps("if rank() == 0:\n    bar = tqdm(bar, initial=4)\n") == "900");
  CHECK(steps("bar = shortened(other)\n") == "unk");
}

TEST_CASE("what every n-th round does instead of a step leaves one step in each round") {
  CHECK(accumulated("        if (i + 1) % 500 == 0:\n            print(i)\n"
                    "        else:\n            model(x).sum().backward()\n"
                    "            optimizer.step()\n") == "1");
  CHECK(accumulated("        if (i + 1) % 500 == 0:\n            continue\n" + kBackward +
                    "        optimizer.step()\n") == "1");
}

TEST_CASE(
    "a step that goes with its backward pass accumulates nothing, however rarely it is made") {
  CHECK(accumulated("        critic(x).sum().backward()\n        opt_d.step()\n"
                    "        if i % 5 == 0:\n            model(x).sum().backward()\n"
                    "            optimizer.step()\n") == "1");
  CHECK(accumulated("        train(critic, opt_d, x)\n"
                    "        if i % 5 == 0:\n            train(model, optimizer, x)\n") == "1");
}

TEST_CASE("a step that is left out in every n-th round after a backward pass says nothing") {
  CHECK(accumulated(kBackward + "        if i % 4 == 0:\n            print(i)\n"
                                "        else:\n            optimizer.step()\n") == "unknown");
}

TEST_CASE("a loop that makes one step in each round counts them") {
  const auto steps = [](const std::string& loop) {
    const Project project = trained_by(loop);
    CHECK(project.fact("epochs") == "unknown");
    return project.fact("max_steps");
  };
  const std::string body = "    train(model, optimizer, next(iter(loader)))\n";
  CHECK(steps("updates = 700\nfor i in range(updates):\n" + body) == "700 code train.py:12");
  CHECK(steps("from six.moves import xrange\nfor i in xrange(700):\n" + body) ==
        "700 code train.py:13");
  CHECK(steps("i, most = 0, 700\nwhile i < most:\n" + body + "    i += 1\n") ==
        "700 code train.py:12");
  CHECK(steps("i, most = 0, 700\nwhile i < most:\n    for x in loader:\n"
              "        train(model, optimizer, x)\n        i += 1\n") == "700 code train.py:12");
}

TEST_CASE("rounds that hold several steps, or parts of one, are not counted as steps") {
  const auto steps = [](const std::string& loop) { return trained_by(loop).fact("max_steps"); };
  CHECK(steps("for k in range(5):\n    for i in range(700):\n"
              "        train(model, optimizer, next(iter(loader)))\n") == "unknown");
  CHECK(steps("for i in range(700):\n    model(next(iter(loader))).sum().backward()\n"
              "    if i % 4 == 0:\n        optimizer.step()\n") == "unknown");
  CHECK(steps("for x in loader:\n    train(model, optimizer, x)\n") == "unknown");
}

TEST_CASE("what a loop over batches counts inside another loop is no number of epochs") {
  const auto epochs = [](const std::string& loop) { return trained_by(loop).fact("epochs"); };
  CHECK(epochs("i, most = 0, 700\nwhile i < most:\n    for x in loader:\n"
               "        train(model, optimizer, x)\n        i += 1\n") == "unknown");
  CHECK(epochs("i, most = 0, 30\nwhile i < most:\n    for x in loader:\n"
               "        train(model, optimizer, x)\n    i += 1\n") == "30 code train.py:12");
}

}  // namespace counted_rounds_test
