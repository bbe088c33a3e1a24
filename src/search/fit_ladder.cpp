// What to change when something is short: each change is tried alone, those that help are put in
// order of what they cost in time, and then applied one on top of the other.

#include "run/fact_access.h"
#include "search/fit.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

// A change that saves less than this is not worth a line.
constexpr double kWorthAStep = 0.01;
constexpr std::int64_t kDeepestPrefetch = 4;

/// Facts that are changed together.
using Changes = std::vector<FactChanges>;

bool is_language_model(const TrainingPlan& plan) { return plan.sequence_length.has_value(); }
bool shards(const TrainingPlan& plan) { return at_least(plan.sharding_stage, 1).has_value(); }

void add_precision(const EstimateRequest& request, Changes& changes) {
  const TrainingPlan& plan = request.run.facts();
  const bool half = text_of(plan.mixed_precision) != "none" && plan.mixed_precision;
  const bool cores = request.run.gpu() != nullptr && request.run.gpu()->tensor_cores;
  if (half || !cores || plan.weights_dtype) return;
  const std::string format = request.run.gpu()->bf16_native ? "bf16" : "fp16";
  changes.push_back({{"mixed_precision", format}});
}

void add_model_changes(const TrainingPlan& plan, Changes& changes) {
  const std::string_view attention = text_of(plan.attention_backend);
  if (attention == "eager" || attention == "math") {
    changes.push_back({{"attention_backend", "sdpa"}});
  }
  if (is_language_model(plan) && (!plan.cross_entropy || plan.cross_entropy->value == "full")) {
    changes.push_back({{"cross_entropy", "chunked"}});
  }
  const std::string_view checkpointing = text_of(plan.activation_checkpointing);
  if (checkpointing != "full" && checkpointing != "offload") {
    changes.push_back({{"activation_checkpointing", "full"}});
  }
}

void add_state_changes(const EstimateRequest& request, Changes& changes) {
  const TrainingPlan& plan = request.run.facts();
  const OptimizerTraits* optimizer = request.run.optimizer().traits;
  if (optimizer != nullptr && optimizer->offers_fused && !is_true(plan.fused_optimizer)) {
    changes.push_back({{"fused_optimizer", "true"}});
  }
  if (optimizer != nullptr && !optimizer->small_state.empty()) {
    changes.push_back({{"optimizer", optimizer->small_state}});
  }
  const auto ranks = request.run.layout().world;
  if (ranks && *ranks > 1 && !shards(plan)) {
    for (const std::int64_t stage : {1, 2, 3}) {
      changes.push_back({{"sharding_stage", std::to_string(stage)}});
    }
  }
}

void add_batch_changes(const TrainingPlan& plan, Changes& changes) {
  const auto batch = at_least(plan.per_device_batch_size, 2);
  if (!batch) return;
  const std::int64_t half = *batch / 2;
  const std::int64_t steps =
      saturating_multiply(at_least(plan.gradient_accumulation_steps, 1).value_or(1), 2);
  changes.push_back({{"per_device_batch_size", std::to_string(half)},
                     {"gradient_accumulation_steps", std::to_string(steps)}});
}

/// Time per sample: changes of the batch stay comparable.
std::optional<double> pace(const TrainingPlan& plan, const Estimate& result) {
  const auto batch = at_least(plan.per_device_batch_size, 1);
  if (!result.step_time || !batch) return std::nullopt;
  const auto steps = at_least(plan.gradient_accumulation_steps, 1).value_or(1);
  return result.step_time->total.central.value / static_cast<double>(*batch) /
         static_cast<double>(steps);
}

struct Tried {
  Estimate result;
  std::optional<double> pace;
};

Tried try_changes(const EstimateRequest& request, FactChanges changes) {
  changes.emplace_back("step_time", "");  // what was measured no longer holds
  EstimateRequest other = request;
  other.run = request.run.with(changes);
  other.predict_time = true;
  other.step_time.reset();
  Tried tried{estimate(other), {}};
  tried.pace = pace(other.run.facts(), tried.result);
  return tried;
}

/// Both, one after the other: of a fact in both the later value counts.
FactChanges joined(FactChanges first, const FactChanges& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

using Amount = std::function<std::optional<double>(const Tried&)>;

std::optional<double> vram_of(const Tried& tried) {
  if (!tried.result.vram || tried.result.vram->lower_bound_only) return std::nullopt;
  return tried.result.vram->needed.central.as_double();
}
std::optional<double> ram_of(const Tried& tried) {
  if (!tried.result.ram) return std::nullopt;
  return tried.result.ram->needed.central.as_double();
}

std::vector<LadderStep> climb(const EstimateRequest& request, const Changes& changes,
                              const Amount& amount) {
  const Tried before = try_changes(request, {});
  const auto start = amount(before);
  if (!start) return {};
  struct Candidate {
    const FactChanges* change;
    double factor;
  };
  std::vector<Candidate> helping;
  for (const FactChanges& change : changes) {
    const Tried alone = try_changes(request, change);
    const auto left = amount(alone);
    if (!left || *left > *start * (1 - kWorthAStep)) continue;
    const bool timed = alone.pace && before.pace && *before.pace > 0;
    helping.push_back({&change, timed ? *alone.pace / *before.pace : 1});
  }
  std::stable_sort(helping.begin(), helping.end(),
                   [](const Candidate& a, const Candidate& b) { return a.factor < b.factor; });
  std::vector<LadderStep> steps;
  FactChanges made;
  double reached = *start;
  for (const Candidate& candidate : helping) {
    FactChanges next = joined(made, *candidate.change);
    const Tried tried = try_changes(request, next);
    const auto left = amount(tried);
    if (!left || *left > reached * (1 - kWorthAStep)) continue;  // what went before did it already
    reached = *left;
    made = std::move(next);
    LadderStep step;
    step.change = *candidate.change;
    const Estimate& result = tried.result;
    if (result.vram) step.vram_central = result.vram->needed.central;
    if (result.ram) step.ram_central = result.ram->needed.central;
    if (tried.pace && before.pace && *before.pace > 0) {
      step.time_factor = *tried.pace / *before.pace;
    }
    step.fit = worse_of(result.vram_verdict.fit, result.ram_verdict.fit);
    steps.push_back(std::move(step));
  }
  return steps;
}

FactChanges workers_change(std::int64_t workers) {
  return {{"num_workers", std::to_string(workers)}};
}
FactChanges prefetch_change(std::int64_t depth) {
  return {{"prefetch_factor", std::to_string(depth)}};
}

}  // namespace

std::vector<LadderStep> vram_ladder(const EstimateRequest& request) {
  Changes changes;
  add_precision(request, changes);
  add_state_changes(request, changes);
  add_model_changes(request.run.facts(), changes);
  add_batch_changes(request.run.facts(), changes);
  const bool offloads = request.run.facts().offload_optimizer &&
                        request.run.facts().offload_optimizer->value != "none";
  if (shards(request.run.facts()) && !offloads) {
    changes.push_back({{"offload_optimizer", "cpu"}});
  }
  return climb(request, changes, vram_of);
}

std::vector<LadderStep> ram_ladder(const EstimateRequest& request) {
  const TrainingPlan& plan = request.run.facts();
  Changes changes;
  const auto depth = at_least(plan.prefetch_factor, 2);
  if (depth) changes.push_back(prefetch_change(std::max<std::int64_t>(1, *depth / 2)));
  const auto workers = at_least(plan.num_workers, 2);
  if (workers) changes.push_back(workers_change(*workers / 2));
  if (is_true(plan.pin_memory)) {
    changes.push_back({{"pin_memory", "false"}});
  }
  add_batch_changes(plan, changes);
  return climb(request, changes, ram_of);
}

std::vector<LadderStep> loading_ladder(const EstimateRequest& request) {
  const TrainingPlan& plan = request.run.facts();
  Changes changes;
  std::optional<std::int64_t> cores = at_least(plan.cpu_cores, 1);
  if (!cores && request.run.host() != nullptr && request.run.host()->cpu_cores)
    cores = *request.run.host()->cpu_cores;
  const std::int64_t ranks = request.run.layout().ranks_on_host;
  const std::int64_t workers = at_least(plan.num_workers, 0).value_or(0);
  const std::int64_t most = cores ? std::max<std::int64_t>(1, *cores / ranks) : workers;
  if (workers < most) changes.push_back(workers_change(most));
  const auto depth = at_least(plan.prefetch_factor, 1);
  if (depth && *depth < kDeepestPrefetch) changes.push_back(prefetch_change(kDeepestPrefetch));
  if (plan.storage_bandwidth && !is_true(plan.dataset_in_ram)) {
    changes.push_back({{"dataset_in_ram", "true"}});
  }
  // Without a known loading rate a step's time does not show what these change: none is listed.
  return climb(request, changes, [](const Tried& tried) { return tried.pace; });
}

}  // namespace gpulint
