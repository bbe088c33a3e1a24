#pragma once

#include "catalog/catalog.h"
#include "catalog/project.h"
#include "engine/learning_rate.h"
#include "estimate/estimate.h"
#include "expr/expression.h"
#include "finding/finding.h"
#include "plan/plan.h"
#include "run/resolved_run.h"
#include "search/least_devices.h"
#include "source/document.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// Everything one plan is judged by. Pointers are borrowed and may be null (unknown target).
struct Subject {
  const Plan* plan = nullptr;  // its observations
  ResolvedRun run;
  const Dialect* dialect = nullptr;
  std::span<const Measurement> measurements = {};
  double headroom = kDefaultHeadroom;
  std::optional<LearningRateReference> reference = {};
  /// The config itself, so that a fix can be written in its own spelling; without it fixes are
  /// advice only.
  const Document* document = nullptr;
  /// All dialects, for the value maps they share; without them such values cannot be written back.
  std::span<const Dialect> dialects = {};
  /// The estimate of this plan on this target where the caller has it already; computed on demand
  /// otherwise.
  const Estimate* estimate = nullptr;
  /// How many devices the run takes, where that is the question; nullptr: it is not.
  const LeastDevices* devices = nullptr;
};

/// A rule that stayed silent and the names it missed.
struct Silence {
  std::string rule;
  std::vector<std::string> missing;  // unknown symbols; empty = its condition was false
  std::vector<std::string> facts = {};     // that somebody can state and that `missing` hangs on
  std::vector<std::string> unstated = {};  // where it was false: facts it wants stated
};

struct RuleSettings {
  std::map<std::string, Severity, std::less<>> severities;
  std::vector<std::string> disabled;
  std::vector<std::string> enabled_previews;
};

class SubjectEnvironment;

class Engine {
 public:
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// Binds every rule of the catalog to the symbols; the Error names each broken rule's file, line,
  /// column and expression. Trusted rules are bound; they are referred to and must outlive this.
  static Result<Engine> bind(const std::vector<Rule>& rules);
  /// The conditions of one rule: what the build does to the rules it ships.
  static Result<void> bind_conditions(Rule& rule);

  /// Findings of one plan in rule order; sorting by place is the caller's (lint). Thread-safe.
  std::vector<Finding> run(const Subject& subject, const RuleSettings& settings,
                           std::vector<Silence>* silences = nullptr) const;

  /// All symbols a rule may name: facts, gpu.*, host.*, vram.*, ram.*, shm.*, loaders.*, batch.*,
  /// run.*, parallel.*, allocator.*, checkpoint.*, lr.*, fit.*, speedup.*, dialect.*, item.*. They
  /// are evaluated when a rule reads them, never before.
  static const expr::SymbolTable& symbols();

 private:
  /// A rule of a folder is bound here, so it is a copy.
  struct BoundRule {
    const Rule* rule = nullptr;
    std::unique_ptr<const Rule> own;
  };
  /// Texts of rules that fired, bound; those of folders from the start.
  class TextCache;

  Engine();
  bool run_rule(std::size_t index, const SubjectEnvironment& environment,
                const RuleSettings& settings, std::vector<Finding>& findings) const;
  bool run_rule_over_items(std::size_t index, SubjectEnvironment& environment,
                           const RuleSettings& settings, std::vector<Finding>& findings) const;

  std::vector<BoundRule> rules_;
  std::unique_ptr<TextCache> texts_;
};

}  // namespace gpulint
