#pragma once

// The parameters that gpulint counts of a network whose code stands in a project of three files.

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <map>
#include <string>
#include <utility>

namespace counted_networks {

using namespace gpulint;

using Files = std::map<std::string, std::string>;

constexpr const char* kConfig = "lr: 0.001\nbatch_size: 8\nepochs: 3\nnetwork: Second\n";

inline std::string network(const std::string& name, int width) {
  return "import torch.nn as nn\nclass " + name +
         "(nn.Module):\n"
         "    def __init__(self):\n"
         "        super().__init__()\n"
         "        self.a = nn.Linear(10, " +
         std::to_string(width) +
         ")\n"
         "    def forward(self, x): return self.a(x)\n";
}

/// A script that trains what `net` is made by.
inline std::string script(const std::string& imports, const std::string& net) {
  return "import argparse, importlib, os, torch, yaml\n" + imports +
         "\ndef main():\n"
         "    parser = argparse.ArgumentParser()\n"
         "    parser.add_argument('--config')\n"
         "    cfg = yaml.safe_load(open(parser.parse_args().config))\n" +
         net +
         "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
         "    for epoch in range(cfg['epochs']):\n"
         "        for x, y in loader:\n"
         "            loss = net(x).mean()\n"
         "            loss.backward()\n"
         "            optimizer.step()\n"
         "if __name__ == '__main__':\n    main()\n";
}

/// Parameters of the run, with "+" where there may be more.
inline std::string counted(Files files) {
  files.emplace("configs/a.yaml", kConfig);
  MemoryReader reader(std::move(files));
  LintRequest request;
  request.paths = {"configs/a.yaml"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  if (result.files.empty() || result.files.front().plans.empty()) return "no run";
  const PlanReport& report = result.files.front().plans.front();
  const auto& parameters =
      report.run ? report.run->facts().parameters : report.plan->facts.parameters;
  if (!parameters) return "unknown";
  const bool may_be_more = parameters->from.detail.find("at least") != std::string::npos;
  return std::to_string(parameters->value) + (may_be_more ? "+" : "");
}

}  // namespace counted_networks
