// Constructors of data sets, which read files that are not there.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace data_sets_test {

using namespace gpulint;

/// A program that trains on a data set whose constructor does as it is told.
Project project_with(const std::string& constructor, const std::string& before = {}) {
  return Project(
      {{"train.py",
        "import os, sys, torch\nimport torchvision.transforms as T\n"
        "settings = {'rate': 0.25}\n" +
            before +
            "class Pictures(torch.utils.data.Dataset):\n"
            "  def __init__(self, folder, size, train=True):\n" +
            constructor +
            "net = torch.nn.Linear(2, 2)\n"
            "loader = torch.utils.data.DataLoader(Pictures('pictures', 96), batch_size=4)\n"
            "optimizer = torch.optim.SGD(net.parameters(), lr=settings['rate'])\n"
            "for epoch in range(7):\n  for x in loader:\n"
            "    net(x).sum().backward()\n    optimizer.step()\n"}},
      "train.py");
}

TEST_CASE("transforms that a data set composes in its constructor say how large its images are") {
  const Project project = project_with(
      "    if train:\n      self.t = T.Compose([T.Resize(size), T.RandomCrop(size // 2)])\n"
      "    else:\n      self.t = T.Compose([T.Resize((300, 300))])\n"
      "    self.names = sorted(os.listdir(folder))\n");
  CHECK(project.fact("image_size").starts_with("48 code train.py:"));
  CHECK(project.fact("epochs").starts_with("7 "));
}

TEST_CASE("a data set whose constructor raises or leaves ends no program and changes nothing") {
  for (const char* const leaving :
       {"    if not os.path.exists('x') and len([]) == 0:\n      raise RuntimeError(folder)\n",
        "    raise RuntimeError(folder)\n", "    sys.exit()\n", "    check(folder)\n"}) {
    const Project project =
        project_with("    settings['rate'] = 3\n    self.t = T.RandomCrop(size)\n" +
                         std::string(leaving),
                     "def check(folder):\n  raise RuntimeError(folder)\n");
    CAPTURE(leaving);
    CHECK(project.fact("epochs").starts_with("7 "));
    CHECK(project.fact("per_device_batch_size").starts_with("4 "));
    if (std::string(leaving).find("os.path") != std::string::npos) continue;
    CHECK(project.fact("learning_rate").starts_with("0.25 "));
    CHECK(project.fact("image_size") == "unknown");
  }
}

TEST_CASE("what a data set does to the settings of its program counts") {
  CHECK(project_with("    settings['rate'] = 0.5\n").fact("learning_rate").starts_with("0.5 "));
}

TEST_CASE("a data set that goes over much leaves its program the steps that it takes") {
  const Project project = project_with(
      "    self.rows = []\n    for i in range(200):\n      for j in range(200):\n"
      "        self.rows.append((folder, i * j + size, [i, j, i + j, i - j]))\n");
  CHECK(project.fact("learning_rate").starts_with("0.25 "));
  CHECK(project.fact("epochs").starts_with("7 "));
}

TEST_CASE("a file that a data set reads is no config of its program") {
  const Project project(
      {{"conf/a.json", "{\"lr\": 0.5, \"batch_size\": 3, \"epochs\": 2}\n"},
       {"train.py",
        "import argparse, json, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--config')\np.add_argument('--words')\nargs = p.parse_args()\n"
        "class Texts(torch.utils.data.Dataset):\n"
        "  def __init__(self, path):\n    self.rate = json.load(open(path))['lr']\n"
        "texts = Texts(args.words)\nnet = torch.nn.Linear(2, 2)\n"
        "for x in torch.utils.data.DataLoader(texts, batch_size=4):\n"
        "  optimizer = torch.optim.SGD(net.parameters(), lr=texts.rate)\n"
        "  net(x).sum().backward()\n  optimizer.step()\n"
        "if __name__ == '__main__':\n  pass\n"}},
      "conf/a.json");
  CHECK_FALSE(project.fact("per_device_batch_size").starts_with("4 "));
}

}  // namespace data_sets_test
