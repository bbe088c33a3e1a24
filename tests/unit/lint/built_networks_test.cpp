// Networks that a training program builds, where nobody could follow what it optimizes.

#include "unit/lint/counted_networks.h"

#include <doctest/doctest.h>

#include <string>

namespace built_networks_test {

using counted_networks::counted;

namespace {

constexpr const char* kNetworks =
    "import argparse, torch, yaml\nimport torch.nn as nn\nfrom elsewhere import make_trainer\n"
    "class Small(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.body = nn.Linear(10, 10)\n"
    "class Large(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.body = nn.Linear(10, 99)\n";

/// A program that builds networks by `built` and trains them by `trained`.
std::string program(const std::string& built, const std::string& trained) {
  return kNetworks +
         std::string("def main():\n"
                     "    parser = argparse.ArgumentParser()\n"
                     "    parser.add_argument('--config')\n"
                     "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
                     "    loader = torch.utils.data.DataLoader(data(), "
                     "batch_size=cfg['batch_size'])\n") +
         built + trained + "if __name__ == '__main__':\n    main()\n";
}

/// Parameters of the run of such a program.
std::string parameters(const std::string& built, const std::string& trained) {
  return counted({{"train.py", program(built, trained)}});
}

constexpr const char* kUnknown =
    "    trainer = make_trainer(net, loader, cfg['lr'], cfg['epochs'])\n    trainer.run()\n";
constexpr const char* kOfUnknown =
    "    optimizer = torch.optim.Adam(make_trainer(cfg), lr=cfg['lr'])\n"
    "    optimizer.step()\n";

}  // namespace

TEST_CASE("what a program builds is the least that it trains where no optimizer is seen") {
  CHECK(parameters("    net = Large()\n", kUnknown) == "1089+");
}

TEST_CASE("of two networks that are surely built the larger is on the device") {
  const std::string two = "    net = Large()\n    other = Small()\n";
  CHECK(parameters(two, kUnknown) == "1089+");
  CHECK(parameters(two, kOfUnknown) == "1089+");
}

TEST_CASE("of networks of which one is built the smallest counts") {
  CHECK(parameters("    if somebody_says_so():\n        net = Large()\n"
                   "    else:\n        net = Small()\n",
                   kUnknown) == "110+");
}

TEST_CASE("what one of two programs builds that may be meant is not surely there") {
  CHECK(counted({{"train_large.py", program("    net = Large()\n", kUnknown)},
                 {"train_named.py", program("    net = somewhere(cfg)\n", kUnknown)}}) ==
        "unknown");
}

TEST_CASE("a loss with weights of a library is no network that is trained") {
  CHECK(parameters("    net = somewhere()\n    weigh = nn.PReLU(4)\n", kUnknown) == "unknown");
}

}  // namespace built_networks_test
