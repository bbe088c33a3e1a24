// Options that a program's help text declares, as docopt reads them.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace usage_texts_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kTrain =
    "\"\"\"Trains a network.\n\nUsage:\n    train.py [options] <config>\n"
    "    train.py (-h | --help)\n\nOptions:\n    -h --help         Shows this.\n"
    "    --rate=<x>        Of the optimizer\n                      [default: 0.5].\n"
    "    -w N, --work N    Loader's processes [default: 3]\n"
    "    --fast            More of them.\n\"\"\"\n"
    "import json, torch\nfrom docopt import docopt\n"
    "if __name__ == '__main__':\n"
    "    args = docopt(__doc__)\n"
    "    with open(args['<config>']) as f:\n        h = json.load(f)\n"
    "    work = 9 if args['--fast'] else int(args['--work'])\n"
    "    torch.utils.data.DataLoader(make('train'), h['batch_size'], num_workers=work)\n"
    "    torch.optim.SGD(model(), lr=float(args['--rate']))\n";

Project started(const std::string& command) {
  return Project({{".git/HEAD", ""}, {"train.py", kTrain}, {"run.sh", command + "\n"}}, "run.sh");
}

TEST_CASE("options of a help text have the defaults that it tells, unless a command gives them") {
  const Project plain = started("python train.py c.json --rate 0.2");
  CHECK(plain.fact("learning_rate") == "0.2 stated run.sh:1");
  CHECK(plain.fact("num_workers") == "3 code train.py:21");
  CHECK(started("python train.py c.json -w 4").fact("num_workers") == "4 stated run.sh:1");
  CHECK(started("python train.py c.json").fact("learning_rate") == "0.5 code train.py:22");
  CHECK(started("python train.py c.json --fast").fact("num_workers").starts_with("9 code"));
}

TEST_CASE("a config that a help text asks for by a word is loaded") {
  const Project project({{".git/HEAD", ""},
                         {"train.py", kTrain},
                         {"conf/a.json", "{\"batch_size\": 8,\n \"epochs\": 2}\n"}},
                        "conf/a.json");
  CHECK(project.fact("per_device_batch_size") == "8 stated conf/a.json:1");
  CHECK(project.fact("learning_rate").starts_with("0.5"));
}

}  // namespace usage_texts_test
