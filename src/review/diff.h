#pragma once

// What a change does: both sides of it linted and estimated, config by config and GPU by GPU.

#include "base/file_reader.h"
#include "base/severity.h"
#include "engine/learning_rate.h"
#include "estimate/estimate.h"
#include "lint/lint.h"
#include "review/changed.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// One config on one target, as one side of the change has it. Unset: could not be known.
struct DiffSide {
  std::optional<Interval> vram;      // what is needed
  bool vram_is_lower_bound = false;  // only `vram->low` says anything
  std::optional<BytesRange> usable_vram;
  MemoryVerdict vram_verdict;
  std::optional<std::int64_t> least_devices;   // LeastDevices::least
  std::optional<std::int64_t> enough_devices;  // LeastDevices::enough
  std::optional<Interval> ram;
  std::optional<Bytes> available_ram;
  MemoryVerdict ram_verdict;
  std::optional<TimeInterval> step_time;
  std::optional<TimeInterval> run_time;
  std::optional<CostInterval> cost;
  std::optional<std::int64_t> global_batch_size;
  std::optional<double> learning_rate;
  std::string optimizer;
  std::vector<std::string> unknown;  // facts the estimate missed

  /// Surely usable memory less what is needed, centrally; nullopt for a lower bound.
  std::optional<Bytes> headroom() const;
};

/// The learning rate beside what the scaling rule makes of the old one at the new batch.
struct LearningRateDiff {
  LearningRateRule rule = LearningRateRule::linear;
  double expected = 0;   // old rate scaled by the growth of the global batch
  double effective = 1;  // new rate / expected: 0.5 = the weights move half as far per sample
};

enum class DiffKind : std::uint8_t { added, removed, modified, renamed, included };

struct ConfigDiff {
  std::string path;
  std::string old_path;                // where it differs
  DiffKind kind = DiffKind::modified;  // `included`: only files it refers to changed
  std::optional<std::string> phase;
  std::string gpu;   // "" = none is known
  std::string host;  // likewise
  std::optional<DiffSide> before;
  std::optional<DiffSide> after;
  std::optional<LearningRateDiff> learning_rate;
};

/// A finding with its place, for reports that show two texts at once.
struct DiffFinding {
  std::string rule;
  Severity severity = Severity::warning;
  std::string path;
  LineColumn at;
  std::string pointer;
  std::string message;
  bool is_new = true;  // false: it was there before
};

struct DiffResult {
  std::string base;
  std::string head;
  std::vector<ConfigDiff> configs;    // by path, phase, GPU
  std::vector<DiffFinding> findings;  // of the new side, in the configs above
  std::vector<DiffFinding> fixed;     // of the old side, gone now
  std::vector<std::string> exceeded;  // limits of the command line, one sentence each
  std::vector<std::string> unjudged;  // limits that could not be judged
  std::vector<std::string> left_out;  // files that could not be looked at, with the reason
  std::vector<Error> errors;
};

/// One end of a change: its files, and what of them is looked at.
struct DiffEnd {
  SessionView session;
  LintRequest request;
};

struct DiffRequest {
  DiffEnd before;
  DiffEnd after;
  std::string base;  // as a person calls the sides
  std::string head;
  ChangeSet changes;
  std::map<std::string, std::string> renames;  // new -> old, both absolute
  std::vector<std::string> gpus;  // targets; none: what each config or its project names
};

DiffResult diff(const DiffRequest& request);

}  // namespace gpulint
