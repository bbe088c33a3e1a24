// run.*, parallel.*, workload.*: arithmetic over the facts of one run that several rules share, and
// that is longer than a condition should be. Everything here is unknown as soon as a fact it needs
// is; nothing asks for an estimate, so that these rules stay cheap over a whole repository.

#include "base/text.h"
#include "base/units.h"
#include "engine/symbols.h"
#include "model/convolutional.h"
#include "run/model_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

std::optional<std::int64_t> positive_count(const Maybe<std::int64_t>& fact) {
  return fact && fact->value > 0 ? std::optional(fact->value) : std::nullopt;
}

// An incomplete last batch is a step unless the loader drops it.
std::optional<std::int64_t> steps_per_epoch(const TrainingPlan& plan) {
  const auto samples = positive_count(plan.dataset_samples);
  const auto batch = positive_count(plan.global_batch_size);
  if (!samples || !batch) return std::nullopt;
  const bool dropped = plan.drop_last && plan.drop_last->value;
  return *samples / *batch + (*samples % *batch != 0 && !dropped ? 1 : 0);
}

// Where both are stated, frameworks stop at whichever comes first or let the steps decide.
std::optional<double> run_steps(const TrainingPlan& plan) {
  if (const auto steps = positive_count(plan.max_steps)) return static_cast<double>(*steps);
  const auto per_epoch = steps_per_epoch(plan);
  if (!per_epoch || !plan.epochs || !(plan.epochs->value > 0)) return std::nullopt;
  return std::ceil(static_cast<double>(*per_epoch) * plan.epochs->value);
}

std::optional<double> warmup_share(const TrainingPlan& plan) {
  const std::optional<double> steps = run_steps(plan);
  if (plan.warmup_steps && plan.warmup_steps->value > 0) {
    if (!steps) return std::nullopt;
    return static_cast<double>(plan.warmup_steps->value) / *steps;
  }
  if (plan.warmup_epochs && plan.warmup_epochs->value > 0) {
    if (!plan.epochs || !(plan.epochs->value > 0)) return std::nullopt;
    return plan.warmup_epochs->value / plan.epochs->value;
  }
  if (plan.warmup_ratio) return plan.warmup_ratio->value;
  return std::nullopt;
}

Value run_steps_per_epoch(Environment environment) {
  return known_or_unknown(steps_per_epoch(environment.facts()));
}
Value run_steps_in_all(Environment environment) {
  return known_or_unknown(run_steps(environment.facts()));
}
Value run_warmup_share(Environment environment) {
  return known_or_unknown(warmup_share(environment.facts()));
}

/// Ranks one copy of the model is spread over. Sizes nobody states count as 1 once one is stated:
/// the product is then a divisor of the real one.
Value parallel_model_ranks(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const bool stated = positive_count(plan.tensor_parallel_size) ||
                      positive_count(plan.pipeline_parallel_size) ||
                      positive_count(plan.context_parallel_size);
  return stated ? Value(environment.run().layout().model_ranks()) : Value();
}

/// A shared head width, where the config states it or the heads divide the model's width.
Value parallel_head_size(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (const auto stated = positive_count(plan.head_size)) return Value(*stated);
  const auto hidden = positive_count(plan.hidden_size);
  const auto heads = positive_count(plan.num_attention_heads);
  if (!hidden || !heads || *hidden % *heads != 0) return {};
  return Value(*hidden / *heads);
}

/// Micro-batches that flow through the pipeline in one step.
std::optional<std::int64_t> micro_batches(const TrainingPlan& plan) {
  if (const auto steps = positive_count(plan.gradient_accumulation_steps)) return steps;
  const auto global = positive_count(plan.global_batch_size);
  const auto micro = positive_count(plan.per_device_batch_size);
  const auto replicas = positive_count(plan.data_parallel_size);
  if (!global || !micro || !replicas) return std::nullopt;
  const std::int64_t per_step = saturating_multiply(*micro, *replicas);
  if (*global % per_step != 0) return std::nullopt;
  return *global / per_step;
}

/// Share of a step the stages of a pipeline wait: (p - 1) / (m v + p - 1).
/// Source: Narayanan et al. 2021, Efficient Large-Scale Language Model Training, section 2.2.
Value parallel_pipeline_idle(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const auto stages = positive_count(plan.pipeline_parallel_size);
  const auto batches = micro_batches(plan);
  if (!stages || !batches) return {};
  const double chunks =
      static_cast<double>(positive_count(plan.virtual_pipeline_parallel_size).value_or(1));
  const double waiting = static_cast<double>(*stages - 1);
  return Value(waiting / (static_cast<double>(*batches) * chunks + waiting));
}

Value parallel_micro_batches(Environment environment) {
  return known_or_unknown(micro_batches(environment.facts()));
}

/// Told by the work of the known model's operators; unknown for others, whatever they are called.
Value workload_convolutional(Environment environment) {
  const model::ModelLibrary::Found* model = environment.run().model();
  if (model == nullptr) return {};
  return known_or_unknown(model::is_convolutional(*model->program, model->entry.dimensions));
}

/// Its own dimensions are nobody's mistake; those a run lays over them are.
Value workload_model_altered(Environment environment) {
  const model::ModelLibrary::Found* model = environment.run().model();
  return model == nullptr ? Value() : known_or_unknown(alters_model(*model, environment.facts()));
}

/// A run to look at rather than to train with: one epoch, fewer than a hundred steps, or autograd
/// searching for NaN. What makes it slow is not a mistake there.
Value run_debug(Environment environment) {
  constexpr std::int64_t kFewSteps = 100;
  const TrainingPlan& plan = environment.facts();
  const bool is_short = (plan.epochs && plan.epochs->value <= 1) ||
                        (plan.max_steps && plan.max_steps->value < kFewSteps);
  return Value(is_short || (plan.detect_anomaly && plan.detect_anomaly->value));
}

/// Larger is better or smaller is better, told by a metric's usual name; unknown for others.
std::optional<std::string> direction_of(std::string_view metric) {
  constexpr std::array<std::string_view, 8> kSmaller = {"loss", "wer",  "cer",       "perplexity",
                                                        "mae",  "rmse", "val_error", "bpb"};
  constexpr std::array<std::string_view, 8> kLarger = {"acc",  "accuracy", "f1",  "map",
                                                       "bleu", "auc",      "iou", "dice"};
  // A composite ("val/loss_simple_ema", "acc_top1", "eval_rouge-l") is taken apart at its marks; a
  // reward or a negated loss has no usual direction.
  const std::string name = to_lower(metric);
  if (name.find("neg") != std::string::npos) return std::nullopt;
  bool smaller = false;
  bool larger = false;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("_/-. @", begin), name.size());
    const std::string_view word = std::string_view(name).substr(begin, end - begin);
    smaller = smaller || std::count(kSmaller.begin(), kSmaller.end(), word) != 0;
    larger = larger || std::count(kLarger.begin(), kLarger.end(), word) != 0;
    begin = end + 1;
  }
  if (smaller == larger) return std::nullopt;
  return smaller ? "min" : "max";
}

template <auto Member>
Value usual_direction(Environment environment) {
  const Maybe<std::string>& metric = environment.facts().*Member;
  if (!metric) return {};
  const std::optional<std::string> direction = direction_of(metric->value);
  return direction ? Value(*direction) : Value();
}

std::vector<SymbolRow> run_symbols_only() {
  const std::vector<std::string_view> length = {"max_steps", "epochs", "dataset_samples",
                                                "global_batch_size"};
  return {
      {"run.steps_per_epoch", number_type(), "optimizer steps of one epoch", length,
       run_steps_per_epoch},
      {"run.steps", number_type(), "optimizer steps of the whole run", length, run_steps_in_all},
      {"run.warmup_share",
       number_type(),
       "share of the run the learning rate warms up in",
       {"warmup_steps", "warmup_epochs", "warmup_ratio", "max_steps", "epochs"},
       run_warmup_share},
      {"run.debug",
       boolean_type(),
       "a run to look at: one epoch, fewer than a hundred steps, or autograd searching for NaN",
       {},
       run_debug},
      {"run.best_metric_direction",
       text_type({"min", "max"}),
       "which end of best_metric is better, by its usual name",
       {"best_metric"},
       usual_direction<&TrainingPlan::best_metric>},
      {"run.early_stopping_direction",
       text_type({"min", "max"}),
       "which end of early_stopping_metric is better, by its usual name",
       {"early_stopping_metric"},
       usual_direction<&TrainingPlan::early_stopping_metric>},
      {"workload.convolutional",
       boolean_type(),
       "at least half of the known model's work belongs to convolutions",
       {"model"},
       workload_convolutional},
      {"workload.model_altered",
       boolean_type(),
       "stated dimensions differ from those of the known model; unknown where none can be compared",
       {"model"},
       workload_model_altered},
  };
}

}  // namespace

std::vector<SymbolRow> run_symbols() {
  const std::vector<std::string_view> sizes = {"tensor_parallel_size", "pipeline_parallel_size",
                                               "context_parallel_size"};
  const std::vector<std::string_view> pipeline = {
      "pipeline_parallel_size", "gradient_accumulation_steps", "global_batch_size"};
  std::vector<SymbolRow> rows = {
      {"parallel.model_ranks", number_type(),
       "ranks one copy of the model is spread over (tensor x pipeline x context)", sizes,
       parallel_model_ranks},
      {"parallel.head_size",
       number_type(),
       "width of one attention head, stated or hidden_size / num_attention_heads",
       {"head_size", "hidden_size", "num_attention_heads"},
       parallel_head_size},
      {"parallel.micro_batches", number_type(), "micro-batches of one optimizer step", pipeline,
       parallel_micro_batches},
      {"parallel.pipeline_idle", number_type(), "share of a step the pipeline's stages wait",
       pipeline, parallel_pipeline_idle},
  };
  std::vector<SymbolRow> more = run_symbols_only();
  std::move(more.begin(), more.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace gpulint
