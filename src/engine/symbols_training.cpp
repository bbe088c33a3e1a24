// loaders.*, batch.*, run.*, workload.*, dialect.*, item.*: what follows from the facts of
// one run without any hardware, and what its config language is known to do.

#include "base/units.h"
#include "engine/symbols.h"
#include "memory/step_ways.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

std::optional<std::int64_t> value_in(const Maybe<std::int64_t>& fact) {
  return fact ? std::optional(fact->value) : std::nullopt;
}

Value loaders_ranks(Environment environment) {
  return Value(environment.run().layout().ranks_on_host);
}

Value loaders_workers(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.num_workers) return {};
  // Workers of both loaders live at the same time only where they outlive their epoch.
  const std::int64_t training = plan.num_workers->value;
  const std::int64_t evaluation = value_in(plan.eval_num_workers).value_or(0);
  const bool together = plan.persistent_workers && plan.persistent_workers->value;
  return Value(saturating_multiply(
      environment.run().layout().ranks_on_host,
      together ? saturating_add(training, evaluation) : std::max(training, evaluation)));
}

Value batch_replicas(Environment environment) {
  return known_or_unknown(environment.run().layout().replicas);
}

/// per-device x accumulation x replicas with every unknown factor left out.
std::int64_t known_product(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  std::int64_t product = plan.per_device_batch_size->value;
  for (const std::optional<std::int64_t>& factor :
       {value_in(plan.gradient_accumulation_steps), environment.run().layout().replicas}) {
    if (factor) product = saturating_multiply(product, *factor);
  }
  return product;
}

Value batch_product(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.per_device_batch_size) return {};
  return Value(known_product(environment));
}

Value batch_product_complete(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  return Value(plan.per_device_batch_size && plan.gradient_accumulation_steps &&
               environment.run().layout().replicas);
}

/// Do the stated batch sizes agree? With an unknown factor they do when it can be a whole number.
/// A "global batch" counted in tokens (sequence length times the product) agrees too.
Value batch_consistent(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.global_batch_size || !plan.per_device_batch_size) return {};
  if (!is_written(plan.global_batch_size->from) || !is_written(plan.per_device_batch_size->from)) {
    return {};
  }
  const bool complete = plan.gradient_accumulation_steps && environment.run().layout().replicas;
  const std::int64_t global = plan.global_batch_size->value;
  const auto agrees = [&](std::int64_t product) {
    if (product <= 0) return true;
    return complete ? global == product : global % product == 0;
  };
  const std::int64_t product = known_product(environment);
  if (agrees(product)) return Value(true);
  return Value(plan.sequence_length &&
               agrees(saturating_multiply(product, plan.sequence_length->value)));
}

/// Samples that fill one operand of a tensor-core instruction: 16 bytes, so 4 elements of TF32 or
/// fp32, 8 of fp16 or bf16, 16 of fp8. Source: NVIDIA, Matrix Multiplication Background User's
/// Guide, section 4 (requirements to use tensor cores).
Value batch_tensor_core_multiple(Environment environment) {
  constexpr std::int64_t kOperandBytes = 16;
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr || !gpu->tensor_cores) return {};
  const Maybe<std::string>& precision = environment.facts().mixed_precision;
  if (precision && precision->value == "fp8") return Value(kOperandBytes);
  const bool half = precision && precision->value != "none";
  return Value(kOperandBytes / (half ? 2 : 4));
}

/// Number format of the matrix work: fp32 only when autocast is known to be off and the weights
/// are not in half precision.
Value precision_compute(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.mixed_precision) return {};
  if (plan.mixed_precision->value != "none") return Value(plan.mixed_precision->value);
  if (plan.quantization && plan.quantization->value != "none") return {};
  if (plan.weights_dtype) return Value(plan.weights_dtype->value);
  const bool is_open = environment.run().is_unreadable(*find_fact("weights_dtype"));
  return is_open ? Value() : Value("fp32");
}

Value run_batches_per_epoch(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const std::optional<std::int64_t> replicas = environment.run().layout().replicas;
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
  // That code splits no layers says nothing of what it trains on.
  const auto is_stated = [](const auto& size) { return size && is_written(size->from); };
  if (is_stated(plan.tensor_parallel_size) || is_stated(plan.pipeline_parallel_size))
    return Value(true);
  // Heads of a known model may be a vision transformer's; a vocabulary it has is of its tokens.
  const bool states_heads = plan.num_attention_heads && is_written(plan.num_attention_heads->from);
  return Value(plan.vocab_size || states_heads || plan.packing ||
               environment.run().adapter().present || plan.sequence_length);
}

/// Written into the code, where a config is judged: no key of it can change that.
template <class T>
bool is_set_by_code(const Maybe<T>& fact, Environment environment) {
  const Document* config = environment.subject().document;  // a script that is judged itself is one
  return fact && fact->from.origin == Origin::code && config != nullptr &&
         fact->from.span.file != config->file();
}

/// Whoever wrote a loader without workers into the code knew its data set; a config's key is
/// copied.
Value loader_set_by_code(Environment environment) {
  return Value(is_set_by_code(environment.facts().num_workers, environment));
}

Value loader_pinning_set_by_code(Environment environment) {
  return Value(is_set_by_code(environment.facts().pin_memory, environment));
}

Value run_has_code(Environment environment) {
  const Plan* judged = environment.subject().plan;
  return Value(judged != nullptr && judged->has_code);
}

/// Defaults that a library's class of settings has say nothing of who makes the loader.
Value loader_made_by_code(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const auto is_taken_in = [](const auto& fact) {
    return fact && fact->from.detail.starts_with(kTakenIn);
  };
  return Value(is_taken_in(plan.num_workers) || is_taken_in(plan.per_device_batch_size) ||
               is_taken_in(plan.pin_memory));
}

Value workload_latents(Environment environment) {
  const model::ModelLibrary::Found* model = environment.run().model();
  return Value(model != nullptr && reads_latents(*model));
}

Value workload_detection(Environment environment) {
  const model::ModelLibrary::Found* model = environment.run().model();
  return Value(model != nullptr && has_dimension(*model, "boxes"));
}

Value dialect_id(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->id);
}

Value dialect_traits(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  if (dialect == nullptr) return {};
  expr::List traits;
  for (const std::string& trait : dialect->traits) traits.emplace_back(trait);
  return Value(std::move(traits));
}

Value dialect_casts_numbers(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->casts_numbers);
}

Value dialect_loader_known(Environment environment) {
  const Dialect* dialect = environment.subject().dialect;
  return dialect == nullptr ? Value() : Value(dialect->scalars.has_value());
}

constexpr std::size_t kShownText = 160;  // bytes of a config's own text in a message
constexpr std::size_t kShownDetail = 240;  // of a sentence about it

template <auto Member, std::size_t kShown = kShownText>
Value item_member(Environment environment) {
  const Observation* item = environment.item();
  if (item == nullptr || (item->*Member).empty()) return {};
  const std::string& text = item->*Member;
  if (text.size() <= kShown) return Value(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole UTF-8
  return Value(text.substr(0, end) + "...");
}

const std::vector<std::string_view> kWorkerFacts = {"num_workers", "eval_num_workers",
                                                    "gpus_per_node", "world_size"};
const std::vector<std::string_view> kBatchFacts = {"global_batch_size", "per_device_batch_size",
                                                   "gradient_accumulation_steps", "world_size"};

std::vector<SymbolRow> batch_symbols() {
  return {
      {"loaders.ranks_on_host",
       number_type(),
       "ranks that share one host; 1 where unknown",
       {"gpus_per_node", "world_size"},
       loaders_ranks},
      {"loaders.workers_on_host", number_type(),
       "worker processes of all ranks of one host that live at one time", kWorkerFacts,
       loaders_workers},
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
      {"precision.compute",
       text_type({"fp32", "fp16", "bf16", "fp8", "enabled"}),
       "number format of the matrix work; enabled = half precision of unstated kind",
       {"mixed_precision", "weights_dtype"},
       precision_compute},
      {"run.batches_per_epoch",
       number_type(),
       "batches each rank loads in one epoch",
       {"dataset_samples", "per_device_batch_size"},
       run_batches_per_epoch},
      {"workload.text", boolean_type(), "samples are token ids, cheap to load", {}, workload_text},
      {"run.has_code", boolean_type(), "programs of the project that train are at hand", {},
       run_has_code},
      {"loader.set_by_code",
       boolean_type(),
       "the project's code writes the number of workers down itself, no key states it",
       {},
       loader_set_by_code},
      {"loader.pinning_set_by_code",
       boolean_type(),
       "the project's code writes down itself whether memory is pinned, no key states it",
       {},
       loader_pinning_set_by_code},
      {"loader.made_by_code",
       boolean_type(),
       "the project's code was seen to make the loader, which a library's trainer makes itself",
       {},
       loader_made_by_code},
      {"workload.latents",
       boolean_type(),
       "the known model denoises latents: one sample is thousands of rows",
       {},
       workload_latents},
      {"workload.detection",
       boolean_type(),
       "the known model finds objects: of one sample its heads read hundreds of regions or points",
       {},
       workload_detection},
  };
}

std::vector<SymbolRow> text_symbols() {
  return {
      {"dialect.id", text_type(), "config language of the file", {}, dialect_id},
      {"dialect.traits",
       list_type(),
       "habits of the framework, named in its dialect's file",
       {},
       dialect_traits},
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
       item_member<&Observation::detail, kShownDetail>},
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
  std::vector<SymbolRow> more = text_symbols();
  std::move(more.begin(), more.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace gpulint
