#pragma once

#include "lint/lint.h"
#include "plan/fact_table.h"

#include <string>

namespace gpulint {

/// A result with one of everything a report can show, made by hand so that the reports are tested
/// without rules.
struct Sample {
  Gpu gpu;
  Host host;
  LintResult result;
};

inline SourceSpan span_of(const LintResult& result, FileId file, const std::string& part) {
  const std::size_t at = result.sources[file].text.find(part);
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + part.size())};
}

inline Estimate sample_estimate() {
  Estimate estimate;
  VramEstimate vram;
  vram.needed = {Bytes::gib(15), Bytes::mib(18125), Bytes::gib(23)};
  vram.total = {Bytes::gib(16), Bytes::mib(18637), Bytes::gib(23)};
  vram.ample = vram.total;
  vram.phase = "backward";
  vram.terms = {{"weights", Bytes::mib(98), "25.6 M parameters x 4 B"},
                {"activations", Bytes::gib(17), "256 samples x 68 MiB"},
                {"context", Bytes::mib(1131), ""}};
  vram.phases = {{"forward", Bytes::gib(12), Bytes::gib(12)},
                 {"backward", Bytes::mib(18637), Bytes::mib(18125)}};
  vram.allocated_peak = Bytes::mib(17000);
  vram.reserved_peak = Bytes::mib(17506);
  vram.outside_allocator = Bytes::mib(1131);
  vram.explanation = "one measured point cannot separate fixed from per-sample memory";
  estimate.vram = vram;
  RamEstimate ram;
  ram.total = {Bytes::of(60'000'000'000), Bytes::of(63'880'000'000), Bytes::of(66'000'000'000)};
  ram.needed = ram.total;
  ram.terms = {{"loader buffers", Bytes::of(58'880'000'000), "32 workers x 8 batches x 230 MB"},
               {"everything else", Bytes::of(5'000'000'000), "stated"}};
  ram.loader_buffers = Bytes::of(58'880'000'000);
  ram.shm = Bytes::of(58'880'000'000);
  ram.own_total = Bytes::of(71'000'000'000);
  estimate.ram = ram;
  estimate.usable_vram = BytesRange{Bytes::mib(22500), Bytes::mib(22731)};
  estimate.available_ram = Bytes::of(62'000'000'000);
  estimate.available_shm = Bytes::of(31'000'000'000);
  estimate.unknown = {"dataset_samples"};
  judge_budgets(estimate);
  return estimate;
}

inline Sample sample() {
  Sample sample;
  sample.gpu.id = "a10g";
  sample.host.id = "g5.4xlarge";
  LintResult& result = sample.result;
  result.sources.resize(3);
  result.sources[0] = {
      "configs/a.yaml", "# ResNet-50\nbatch_size:\t256  # 你好\nnum_workers: 32\n", {}};
  result.sources[1] = {"configs/b\x1b.yaml", "lr: 2e-5\n", {}};
  result.sources[2] = {"package.json", "", {}};
  for (SourceText& source : result.sources) source.lines = LineIndex(source.text);

  Finding ram;
  ram.rule = "host-ram-over-budget";
  ram.severity = Severity::error;
  ram.span = span_of(result, 0, "32");
  ram.pointer = "/num_workers";
  ram.message = "the loaders need 63.9 GB of host RAM and the machine has 62.0 GB";
  ram.arithmetic = {"loader buffers = 32 workers x 8 batches x 230 MB = 58.9 GB"};
  ram.numbers = {{"ram.central", 63.88e9, "63.9 GB", true}, {"ram.share", 1.03, "103 %", false}};
  ram.fix = Fix{FixKind::unsafe, "set num_workers to 12", {{ram.span, "12"}}};
  ram.runs = {"configs/a.yaml"};
  Finding batch;
  batch.rule = "batch-too-small";
  batch.severity = Severity::warning;
  batch.span = span_of(result, 0, "256");
  batch.message = "it is small";
  batch.runs = {"configs/a.yaml", "configs/c.yaml"};
  batch.related = {{span_of(result, 1, "2e-5"), "the learning rate stands here"}};
  Finding text;
  text.rule = "learning-rate-read-as-text";
  text.severity = Severity::note;
  text.span = span_of(result, 1, "2e-5");
  text.message = "PyYAML reads \"2e-5\" as text";
  text.phase = "finetune";
  text.runs = {"configs/b\x1b.yaml"};
  text.fix = Fix{FixKind::safe, "write 2.0e-5", {{text.span, "2.0e-5"}}};
  result.findings = {batch, ram, text};

  FileReport a{.path = "configs/a.yaml", .state = FileState::linted, .dialect = "generic"};
  PlanReport plan;
  plan.gpu = nullptr;
  plan.estimated = true;
  plan.estimate = sample_estimate();
  plan.target_reason = "named by the command line";
  a.plans.push_back(plan);
  FileReport b{.path = "configs/b\x1b.yaml", .state = FileState::linted, .dialect = "hf-trainer"};
  b.plans.push_back({.phase = "finetune"});
  FileReport c{.path = "package.json", .state = FileState::skipped};
  c.reason = "no training keys";
  result.files = {a, b, c};
  return sample;
}

/// Points the sample at its own hardware (after it has its final address).
inline void aim(Sample& sample) {
  sample.result.files[0].plans[0].gpu = &sample.gpu;
  sample.result.files[0].plans[0].host = &sample.host;
}

}  // namespace gpulint
