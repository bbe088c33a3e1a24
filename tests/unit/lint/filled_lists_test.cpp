// Lists that are filled in loops whose rounds nobody can count.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace filled_lists_test {

using namespace gpulint;

Project filled(const std::string& loop, const std::string& last) {
  return Project({{".git/HEAD", ""},
                  {"c.yaml", "least: 32\nlr: 0.1\nepochs: 3\n"},
                  {"train.py",
                   "import torch, yaml\n"
                   "if __name__ == '__main__':\n"
                   "    cfg = yaml.safe_load(open('c.yaml'))\n"
                   "    data = []\n" +
                       loop + "    " + last +
                       "\n"
                       "    loader = torch.utils.data.DataLoader(make('train'), len(data))\n"
                       "    opt = torch.optim.AdamW(model(), lr=cfg['lr'])\n"
                       "    for x in loader:\n"
                       "        loss(x).backward()\n"
                       "        opt.step()\n"}},
                 "c.yaml");
}

TEST_CASE("a list that is filled in rounds nobody can count has no length") {
  const std::string once = "    for i in range(3):\n        data.append(i)\n";
  const std::string endless = "    for i in read('x'):\n        data.append(i)\n";
  CHECK(filled(once, "").fact("per_device_batch_size").starts_with("3 "));
  CHECK(filled(endless, "").fact("per_device_batch_size") == "unknown");
  CHECK(filled(endless, "data = sorted(data)").fact("per_device_batch_size") == "unknown");
}

}  // namespace filled_lists_test
