// loaders.*, batch.*, run.*, lr.*, workload.*, dialect.*, item.*: what follows from the facts of
// one run without any hardware, and what its config language is known to do.

#include "base/units.h"
#include "engine/symbols.h"

#include <array>
#include <cmath>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

std::optional<std::int64_t> value_in(const Maybe<std::int64_t>& fact) {
  return fact ? std::optional(fact->value) : std::nullopt;
}

bool said_by_user(const Provenance& from) {
  return from.origin == Origin::stated || from.origin == Origin::project;
}

/// Ranks that share one host. Unknown counts as one: what follows can then only be too small.
std::int64_t ranks_on_host(const TrainingPlan& plan) {
  if (plan.gpus_per_node) return plan.gpus_per_node->value;
  if (plan.world_size && plan.nodes && plan.nodes->value > 0) {
    return std::max<std::int64_t>(1, plan.world_size->value / plan.nodes->value);
  }
  return 1;
}

Value loaders_ranks(Environment environment) { return Value(ranks_on_host(environment.facts())); }

Value loaders_workers(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.num_workers) return {};
  const std::int64_t evaluation = value_in(plan.eval_num_workers).value_or(0);
  return Value(saturating_multiply(ranks_on_host(plan),
                                   saturating_add(plan.num_workers->value, evaluation)));
}

std::optional<std::int64_t> data_parallel_size(const TrainingPlan& plan) {
  if (plan.data_parallel_size) return plan.data_parallel_size->value;
  if (!plan.world_size) return std::nullopt;
  std::int64_t replicas = plan.world_size->value;
  for (const Maybe<std::int64_t>* split :
       {&plan.tensor_parallel_size, &plan.pipeline_parallel_size, &plan.context_parallel_size}) {
    if (*split && (*split)->value > 0) replicas /= (*split)->value;
  }
  return std::max<std::int64_t>(1, replicas);
}

Value batch_replicas(Environment environment) {
  return known_or_unknown(data_parallel_size(environment.facts()));
}

/// per-device x accumulation x replicas with every unknown factor left out.
std::int64_t known_product(const TrainingPlan& plan) {
  std::int64_t product = plan.per_device_batch_size->value;
  for (const std::optional<std::int64_t>& factor :
       {value_in(plan.gradient_accumulation_steps), data_parallel_size(plan)}) {
    if (factor) product = saturating_multiply(product, *factor);
  }
  return product;
}

Value batch_product(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.per_device_batch_size) return {};
  return Value(known_product(plan));
}

Value batch_product_complete(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  return Value(plan.per_device_batch_size && plan.gradient_accumulation_steps &&
               data_parallel_size(plan));
}

/// Do the stated batch sizes agree? With an unknown factor they do when it can be a whole number.
/// A "global batch" counted in tokens (sequence length times the product) agrees too.
Value batch_consistent(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.global_batch_size || !plan.per_device_batch_size) return {};
  if (!said_by_user(plan.global_batch_size->from) ||
      !said_by_user(plan.per_device_batch_size->from)) {
    return {};
  }
  const bool complete = plan.gradient_accumulation_steps && data_parallel_size(plan);
  const std::int64_t global = plan.global_batch_size->value;
  const auto agrees = [&](std::int64_t product) {
    if (product <= 0) return true;
    return complete ? global == product : global % product == 0;
  };
  const std::int64_t product = known_product(plan);
  if (agrees(product)) return Value(true);
  return Value(plan.sequence_length &&
               agrees(saturating_multiply(product, plan.sequence_length->value)));
}

/// Samples that fill one operand of a tensor-core instruction: 16 bytes, so 4 elements of TF32 or
/// fp32, 8 of fp16 or bf16, 16 of fp8. Source: NVIDIA, Matrix Multiplication Background User's
/// Guide, section 4 (requirements to use tensor cores).
Value batch_tensor_core_multiple(Environment environment) {
  constexpr std::int64_t kOperandBytes = 16;
  const Gpu* gpu = environment.subject().gpu;
  if (gpu == nullptr || !gpu->tensor_cores) return {};
  const Maybe<std::string>& precision = environment.facts().mixed_precision;
  if (precision && precision->value == "fp8") return Value(kOperandBytes);
  const bool half = precision && precision->value != "none";
  return Value(kOperandBytes / (half ? 2 : 4));
}

Value run_batches_per_epoch(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const std::optional<std::int64_t> replicas = data_parallel_size(plan);
  if (!plan.dataset_samples || !plan.per_device_batch_size || !replicas) return {};
  const std::int64_t per_step = saturating_multiply(plan.per_device_batch_size->value, *replicas);
  if (per_step <= 0) return {};
  const std::int64_t samples = plan.dataset_samples->value;
  return Value(samples / per_step + (samples % per_step != 0 ? 1 : 0));
}

/// Runs over text: batches are token ids, a few kilobytes that are cheap to load and to copy.
Value workload_text(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (plan.image_size || plan.channels) return Value(false);
  return Value(plan.vocab_size || plan.num_attention_heads || plan.packing ||
               (plan.adapter && plan.adapter->value != "none") || plan.sequence_length);
}

Value lr_reference_rate(Environment environment) {
  const auto& reference = environment.learning_rate().reference;
  return reference ? Value(reference->learning_rate) : Value();
}

Value lr_reference_batch(Environment environment) {
  const auto& reference = environment.learning_rate().reference;
  return reference ? Value(reference->global_batch_size) : Value();
}

Value lr_reference_path(Environment environment) {
  const auto& reference = environment.learning_rate().reference;
  return reference && !reference->path.empty() ? Value(reference->path) : Value();
}

Value lr_reference_kind(Environment environment) {
  const auto& reference = environment.learning_rate().reference;
  if (!reference) return {};
  switch (reference->kind) {
    case LearningRateReference::Kind::stated:
      return Value("stated");
    case LearningRateReference::Kind::previous:
      return Value("previous");
    case LearningRateReference::Kind::twin:
      return Value("twin");
  }
  return {};
}

Value lr_batch(Environment environment) {
  return known_or_unknown(environment.learning_rate().global_batch_size);
}

Value lr_batch_is_lower_bound(Environment environment) {
  return Value(environment.learning_rate().batch_is_lower_bound);
}

Value lr_rule(Environment environment) {
  const std::optional<LearningRateRule>& rule = environment.learning_rate().rule;
  if (!rule) return {};
  return Value(*rule == LearningRateRule::linear ? "linear" : "square root");
}

Value lr_expected(Environment environment) {
  return known_or_unknown(environment.learning_rate().expected);
}

Value lr_scaled_in_code(Environment environment) {
  return known_or_unknown(environment.learning_rate().scaled_in_code);
}

/// Same rate as the reference's up to rounding in the text of either file.
bool same_rate(double a, double b) {
  constexpr double kTextRounding = 1e-3;
  return std::abs(a - b) <= kTextRounding * std::max(std::abs(a), std::abs(b));
}

Value lr_unchanged(Environment environment) {
  const auto& reference = environment.learning_rate().reference;
  const Maybe<double>& rate = environment.facts().learning_rate;
  if (!reference || !rate) return {};
  return Value(same_rate(rate->value, reference->learning_rate));
}

/// Larger of expected / stated and its inverse: 1.25 = off by a quarter either way.
Value lr_off_by(Environment environment) {
  const std::optional<double>& expected = environment.learning_rate().expected;
  const Maybe<double>& rate = environment.facts().learning_rate;
  if (!expected || !rate || *expected <= 0 || rate->value <= 0) return {};
  return Value(std::max(*expected / rate->value, rate->value / *expected));
}

Value dialect_id(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->id);
}

Value dialect_casts_numbers(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->casts_numbers);
}

Value dialect_loader_known(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->scalars.has_value());
}

template <auto Member>
Value item_member(Environment environment) {
  const Observation* item = environment.item();
  if (item == nullptr || (item->*Member).empty()) return {};
  return Value(item->*Member);
}

const std::vector<std::string_view> kWorkerFacts = {"num_workers", "eval_num_workers",
                                                    "gpus_per_node", "world_size"};
const std::vector<std::string_view> kBatchFacts = {"global_batch_size", "per_device_batch_size",
                                                   "gradient_accumulation_steps", "world_size"};
const std::vector<std::string_view> kRateFacts = {"learning_rate", "per_device_batch_size",
                                                  "optimizer", "reference_batch_size"};

std::vector<SymbolRow> batch_symbols() {
  return {
      {"loaders.ranks_on_host",
       number_type(),
       "ranks that share one host; 1 where unknown",
       {"gpus_per_node", "world_size"},
       loaders_ranks},
      {"loaders.workers_on_host", number_type(),
       "worker processes of all ranks and loaders of one host", kWorkerFacts, loaders_workers},
      {"batch.replicas", number_type(), "ranks that see different samples", kBatchFacts,
       batch_replicas},
      {"batch.product", number_type(),
       "per-device batch x accumulation x replicas, unknown factors left out", kBatchFacts,
       batch_product},
      {"batch.product_complete", boolean_type(), "every factor of batch.product is known",
       kBatchFacts, batch_product_complete},
      {"batch.consistent", boolean_type(),
       "the stated global batch can be the product of the stated parts", kBatchFacts,
       batch_consistent},
      {"batch.tensor_core_multiple",
       number_type(),
       "samples that fill one operand of a tensor-core instruction at the run's precision",
       {"per_device_batch_size", "mixed_precision"},
       batch_tensor_core_multiple},
      {"run.batches_per_epoch",
       number_type(),
       "batches each rank loads in one epoch",
       {"dataset_samples", "per_device_batch_size"},
       run_batches_per_epoch},
      {"workload.text", boolean_type(), "samples are token ids, cheap to load", {}, workload_text},
  };
}

std::vector<SymbolRow> learning_rate_symbols() {
  return {
      {"lr.reference_learning_rate", number_type(), "learning rate compared with", kRateFacts,
       lr_reference_rate},
      {"lr.reference_batch_size", number_type(), "global batch the reference was tuned at",
       kRateFacts, lr_reference_batch},
      {"lr.reference_kind", text_type({"stated", "previous", "twin"}),
       "where the reference comes from", kRateFacts, lr_reference_kind},
      {"lr.reference_path", text_type(), "file of a twin or previous version", kRateFacts,
       lr_reference_path},
      {"lr.batch_size", number_type(),
       "global batch of this run; a lower bound where the world size is unknown", kRateFacts,
       lr_batch},
      {"lr.batch_is_lower_bound", boolean_type(), "lr.batch_size is a lower bound", kRateFacts,
       lr_batch_is_lower_bound},
      {"lr.rule", text_type({"linear", "square root"}),
       "how the optimizer's learning rate follows the batch", kRateFacts, lr_rule},
      {"lr.expected", number_type(), "reference learning rate scaled to this batch", kRateFacts,
       lr_expected},
      {"lr.unchanged", boolean_type(), "the learning rate equals the reference's", kRateFacts,
       lr_unchanged},
      {"lr.off_by", number_type(), "factor between stated and expected learning rate, >= 1",
       kRateFacts, lr_off_by},
      {"lr.scaled_in_code",
       boolean_type(),
       "the training code scales the learning rate itself",
       {"learning_rate_scaling"},
       lr_scaled_in_code},
  };
}

std::vector<SymbolRow> text_symbols() {
  return {
      {"dialect.id", text_type(), "config language of the file", {}, dialect_id},
      {"dialect.casts_numbers",
       boolean_type(),
       "the framework turns number text into numbers itself",
       {},
       dialect_casts_numbers},
      {"dialect.loader_known",
       boolean_type(),
       "it is known which YAML loader reads the file",
       {},
       dialect_loader_known},
      {"item.name", text_type(), "key of the observation", {}, item_member<&Observation::name>},
      {"item.value",
       text_type(),
       "raw text of the observation's value",
       {},
       item_member<&Observation::value>},
      {"item.fact",
       text_type(),
       "fact the observation's key maps to",
       {},
       item_member<&Observation::fact>},
      {"item.detail",
       text_type(),
       "what else is known of the observation",
       {},
       item_member<&Observation::detail>},
      {"item.pointer",
       text_type(),
       "JSON pointer of the observation",
       {},
       item_member<&Observation::pointer>},
  };
}

}  // namespace

std::vector<SymbolRow> training_symbols() {
  std::vector<SymbolRow> rows = batch_symbols();
  for (auto* group : {&learning_rate_symbols, &text_symbols}) {
    std::vector<SymbolRow> more = group();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace gpulint
