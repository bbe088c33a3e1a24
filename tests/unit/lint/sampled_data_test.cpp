// What a program does to each sample of its data, which only a loader or a `map` calls.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace sampled_data_test {

using namespace gpulint;

const std::string kLoop =
    "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    "for epoch in range(3):\n  for x in loader:\n    net(x).sum().backward()\n"
    "    optimizer.step()\n";

/// A program whose texts are read by a data set that does as it is told with each.
Project texts(const std::string& item, const std::string& loaders) {
  return Project({{"train.py",
                   "import torch\nfrom torch.utils.data import DataLoader, Dataset\n"
                   "from transformers import AutoTokenizer\nseen = {'many': 0}\n"
                   "class Texts(Dataset):\n"
                   "  def __init__(self, rows, tokenizer, longest):\n"
                   "    self.rows, self.tokenizer, self.longest = rows, tokenizer, longest\n"
                   "  def __getitem__(self, i):\n" +
                       item +
                       "tokenizer = AutoTokenizer.from_pretrained('roberta-base')\n"
                       "net = torch.nn.Linear(2, 2)\n" +
                       loaders + kLoop}},
                 "train.py");
}

const std::string kCut =
    "    text = self.rows[i]['text']\n"
    "    return self.tokenizer(text, max_length=self.longest, truncation=True)\n";
const std::string kLoader =
    "loader = DataLoader(Texts(rows, tokenizer, 192), batch_size=8, shuffle=True)\n";

TEST_CASE("the length at which a data set cuts its texts is the length of a sequence") {
  const Project project = texts(kCut, kLoader);
  CHECK(project.fact("sequence_length").starts_with("192 code train.py:"));
  CHECK(project.fact("sequence_length_is_limit").starts_with("true"));
  CHECK(project.fact("pad_to_max_length") == "unknown");
  CHECK(texts("    return self.tokenizer.encode_plus(self.rows[i], max_length=48,\n"
              "                                      padding='max_length')\n",
              kLoader)
            .fact("pad_to_max_length")
            .starts_with("true"));
}

TEST_CASE("a data set of an evaluation says nothing of the training") {
  const std::string longer =
      "val_loader = DataLoader(Texts(others, tokenizer, 384), batch_size=8)\n";
  CHECK(texts(kCut, kLoader + longer).fact("sequence_length").starts_with("192 "));
  const std::string both = "more = DataLoader(Texts(others, tokenizer, 384), batch_size=8)\n";
  CHECK(texts(kCut, both + "loader = DataLoader(Texts(rows, tokenizer, 192), batch_size=8)\n")
            .fact("sequence_length") == "unknown");
}

TEST_CASE("what a sample does on its way changes and ends no program") {
  for (const char* const item :
       {"    seen['many'] = 7\n", "    raise IndexError(i)\n", "    import sys\n    sys.exit(1)\n"}) {
    CAPTURE(item);
    const Project project = texts(item + kCut, kLoader + "decay = 0.5 if seen['many'] else 0.25\n");
    CHECK(project.fact("epochs").starts_with("3 "));
    CHECK(project.fact("learning_rate").starts_with("0.1 "));
  }
}

TEST_CASE("a function that is mapped over a data set, or makes batches, is asked as well") {
  const std::string function =
      "def encode(rows):\n  return tokenizer(rows['text'], truncation=True, max_length=64)\n";
  CHECK(texts("    return self.rows[i]\n",
              function + "loader = DataLoader(load('x').map(encode, batched=True), batch_size=8)\n")
            .fact("sequence_length")
            .starts_with("64 code train.py:"));
  CHECK(texts("    return self.rows[i]\n",
              function + "loader = DataLoader(load('x'), batch_size=8, collate_fn=encode)\n")
            .fact("sequence_length")
            .starts_with("64 code train.py:"));
  CHECK(texts("    return self.rows[i]\n", function + kLoader).fact("sequence_length") ==
        "unknown");
}

TEST_CASE("the size that a sample's picture is brought to is the size of images") {
  const Project project(
      {{"train.py",
        "import torch\nimport torchvision.transforms as T\n"
        "class Pictures(torch.utils.data.Dataset):\n"
        "  def __getitem__(self, i):\n"
        "    return T.Compose([T.Resize((96, 128)), T.ToTensor()])(read(i))\n"
        "net = torch.nn.Linear(2, 2)\n"
        "loader = torch.utils.data.DataLoader(Pictures(), batch_size=4)\n" +
            kLoop}},
      "train.py");
  CHECK(project.fact("image_size").starts_with("96 code train.py:"));
  CHECK(project.fact("image_width").starts_with("128 code train.py:"));
}

}  // namespace sampled_data_test
