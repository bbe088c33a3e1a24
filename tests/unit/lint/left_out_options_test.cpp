// Options whose default is argparse.SUPPRESS: what nobody gives has no attribute.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace left_out_options_test {

using namespace gpulint;

/// A program that lets its options win over the config it reads.
Project project(const std::string& parser, const std::string& option) {
  return Project({{".git/HEAD", ""},
                  {"conf/c.yaml", "lr: 0.2\nbatch_size: 4\npin: false\n"},
                  {"train.py",
                   "import argparse, torch, yaml\n"
                   "if __name__ == '__main__':\n"
                   "    parser = argparse.ArgumentParser(" +
                       parser +
                       ")\n"
                       "    parser.add_argument('--config')\n"
                       "    parser.add_argument(" +
                       option +
                       ")\n"
                       "    given = vars(parser.parse_args())\n"
                       "    cfg = {'lr': 0.1, 'batch_size': 2, 'pin': False}\n"
                       "    cfg.update(yaml.safe_load(open(given['config'])))\n"
                       "    cfg.update(given)\n"
                       "    torch.utils.data.DataLoader(make('train'), cfg['batch_size'], "
                       "pin_memory=cfg['pin'])\n"
                       "    optimizer = torch.optim.AdamW(model(), lr=cfg['lr'])\n"
                       "    optimizer.step()\n"}},
                 "conf/c.yaml");
}

TEST_CASE("an option that is suppressed leaves the value of the config") {
  const Project by_parser = project("argument_default=argparse.SUPPRESS", "'--lr', type=float");
  CHECK(by_parser.fact("learning_rate") == "0.2 stated conf/c.yaml:1");
  const Project by_option = project("", "'--pin', action='store_true', default=argparse.SUPPRESS");
  CHECK(by_option.fact("pin_memory") == "false stated conf/c.yaml:3");
  CHECK(by_option.fact("learning_rate") == "0.2 stated conf/c.yaml:1");
}

}  // namespace left_out_options_test
