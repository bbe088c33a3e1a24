#pragma once

// A project with one network and one training loop, whose step is followed.

#include "lint/lint.h"
#include "model/footprint.h"
#include "model/interpreter.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gpulint {

inline std::string script(const std::string& network, const std::string& made,
                          const std::string& step) {
  return "import argparse\nimport torch, yaml\nimport torch.nn as nn\n"
         "import torch.nn.functional as F\n" +
         network +
         "\n\ndef main():\n"
         "    parser = argparse.ArgumentParser()\n"
         "    parser.add_argument('--config')\n"
         "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
         "    net = " +
         made +
         "\n"
         "    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])\n"
         "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
         "    criterion = nn.CrossEntropyLoss()\n"
         "    for epoch in range(cfg['epochs']):\n"
         "        for x, y in loader:\n" +
         step +
         "            optimizer.zero_grad()\n"
         "            loss.backward()\n"
         "            optimizer.step()\n"
         "\n\nif __name__ == '__main__':\n    main()\n";
}

inline constexpr const char* kStep = "            loss = criterion(net(x), y)\n";

struct Followed {
  LintResult result;
  const PlanReport* report = nullptr;
  const model::ModelLibrary::Found* model() const {
    return report == nullptr || !report->run ? nullptr : report->run->model();
  }
};

inline Followed followed(const std::string& network, const std::string& made,
                         const std::string& step,
                         const std::string& config = "lr: 0.001\nbatch_size: 8\nepochs: 3\n") {
  MemoryReader reader({{"train.py", script(network, made, step)}, {"configs/a.yaml", config}});
  LintRequest request;
  request.paths = {"configs/a.yaml"};
  request.options.keep_plans = true;
  request.options.gpu = "a10g";
  Followed run;
  run.result = lint(session_over(reader), request);
  if (!run.result.files.empty() && !run.result.files.front().plans.empty())
    run.report = &run.result.files.front().plans.front();
  return run;
}

/// The step played at a batch and a size; nullopt: it was not followed to its end.
inline std::optional<model::Tape> played(const Followed& run, std::int64_t batch,
                                         const std::string& size_name, std::int64_t size) {
  const auto* found = run.model();
  if (found == nullptr || found->followed <= 0 || !found->missing.empty()) return std::nullopt;
  std::map<std::string, expr::Value> dimensions{{"batch", batch}};
  if (!size_name.empty()) dimensions[size_name] = size;
  model::ExecutionOptions execution;
  execution.attention = model::AttentionBackend::explicit_math;
  auto tape = model::run_program(*found->program, dimensions, {}, execution);
  if (!tape) {
    MESSAGE(tape.error().message);
    return std::nullopt;
  }
  return std::move(*tape);
}

/// Bytes that autograd keeps of a step, without weights; 0: the step was not followed to its end.
inline std::int64_t saved(const Followed& run, std::int64_t batch, const std::string& size_name,
                          std::int64_t size) {
  const auto tape = played(run, batch, size_name, size);
  if (!tape) return 0;
  std::int64_t bytes = 0;
  for (const model::Storage& storage : tape->storages()) {
    if (storage.saved && storage.kind != model::StorageKind::parameter) bytes += storage.bytes;
  }
  return bytes;
}

}  // namespace gpulint
