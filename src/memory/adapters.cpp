// Adapters. PEFT keeps their weights in fp32 beside a 16-bit base (autocast_adapter_dtype) and
// casts what they read; torchtune and litgpt keep them in the base's format, which a fact says.
// What a method is on and in which form is said in knowledge/adapters. Methods that put nothing on
// a layer (prompts, prefixes, trained norms) freeze all matrices and let the gradient pass through
// them like the others. Sources: peft tuners/lora/layer.py, tuners/tuners_utils.py
// (cast_adapter_dtype); bitsandbytes autograd/_functions.py (MatMul4Bit kept its input until 0.43,
// the packed weight alone since).

#include "memory/adapters.h"

#include "base/text.h"
#include "memory/precision.h"
#include "run/fact_access.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

using model::DType;

// PEFT's default rank is 8, recipes use 8 to 64; only its activations depend on it, and little.
constexpr std::int64_t kUsualAdapterRank = 16;

model::AdapterFormat adapter_format(const TrainingPlan& plan) {
  model::AdapterFormat format;
  format.dropout = plan.adapter_dropout ? plan.adapter_dropout->value : 0;
  const std::string_view base = text_of(plan.weights_dtype);
  const std::string_view stated = text_of(plan.adapter_dtype);
  const bool wide = stated.empty() || stated == "fp32";
  if (!wide || !is_half(base)) return format;  // the base's own format
  format.weights = DType::fp32;
  const std::string_view mixed = text_of(plan.mixed_precision);
  if (!mixed.empty() && mixed != "none") format.compute = DType::bf16;
  return format;
}

/// "transformer.blocks.0.attn.to_out.0" -> "to_out": a layer's place in a list is not its name.
std::string layer_name(std::string_view target) {
  while (!target.empty()) {
    const std::size_t dot = target.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? target : target.substr(dot + 1);
    const bool number = !last.empty() && last.find_first_not_of("0123456789") == last.npos;
    if (!number || dot == std::string_view::npos) return std::string(last);
    target = target.substr(0, dot);
  }
  return {};
}

/// What is left of a regular expression that is not a list of names.
bool is_pattern(std::string_view name) {
  return name.find_first_of("*?[](){}|^$\\+") != std::string_view::npos;
}

/// "(q|k|v)_proj" -> "q_proj", "k_proj", "v_proj"; any other name alone.
std::vector<std::string> alternatives(const std::string& name) {
  const std::size_t close = name.find(')');
  if (name.empty() || name.front() != '(' || close == std::string::npos) return {name};
  std::vector<std::string> names;
  for (const std::string_view word : split(std::string_view(name).substr(1, close - 1), '|')) {
    names.push_back(std::string(word) + name.substr(close + 1));
  }
  return names;
}

/// Every linear layer there is.
bool is_all(std::string_view target) { return target == "all-linear" || target == "all"; }

void set_targets(const ResolvedRun& run, StepWay& way, UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  if (!plan.adapter_targets) unknown.push_back("adapter_targets");
  if (!plan.adapter_targets || plan.adapter_targets->value.empty()) {
    way.execution.lora_targets = {"*"};
    return;
  }
  for (const std::string& target : plan.adapter_targets->value) {
    const bool all = is_all(target);
    // Experts that are one tensor each (transformers' since its fifth release) are passed by.
    const EngineTraits* engine = run.engine();
    if (all && engine != nullptr && engine->adapts_experts) way.execution.lora_experts = true;
    for (std::string& name : alternatives(layer_name(target))) {
      // Nobody matches a pattern here: every layer is the most it can mean.
      const bool open = !all && is_pattern(name);
      if (open) unknown.push_back("adapter_targets");
      way.execution.lora_targets.push_back(all || open ? "*" : std::move(name));
    }
  }
}

}  // namespace

bool has_quantized_base(const TrainingPlan& plan) {
  const std::string_view quantization = text_of(plan.quantization);
  return quantization == "4bit" || quantization == "8bit";
}

bool quantizes_head(const ResolvedRun& run) {
  const ImplementationTraits* code = run.implementation();
  return has_quantized_base(run.facts()) && code != nullptr && code->quantizes_head;
}

std::optional<std::vector<std::string>> named_targets(const TrainingPlan& plan) {
  if (!plan.adapter_targets) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& target : plan.adapter_targets->value) {
    for (std::string& name : alternatives(layer_name(target))) {
      if (is_all(target) || is_pattern(name)) return std::nullopt;
      names.push_back(std::move(name));
    }
  }
  return names;
}

Range adapter_weight_bytes(const TrainingPlan& plan) {
  if (const std::string_view stated = text_of(plan.adapter_dtype); !stated.empty()) {
    return exactly(is_half(stated) ? 2 : 4);
  }
  return {is_half(text_of(plan.weights_dtype)) ? 2.0 : 4.0, 4, 4};
}

void set_adapter(const ResolvedRun& run, StepWay& way, UnknownFacts& unknown) {
  if (!run.adapter().present) return;
  const TrainingPlan& plan = run.facts();
  const AdapterTraits* method = run.adapter().traits;
  const ImplementationTraits* code = run.implementation();
  way.tape.trained = {std::string(model::kAdapterSection)};
  way.tape.train_outside_blocks = run.adapter().trains_embeddings;
  way.tape.quantized.enabled = has_quantized_base(plan);
  way.tape.quantized.keeps_input = true;
  way.tape.quantized.head_too = quantizes_head(run);
  // A longest batch that comes first has no step before it.
  way.tape.quantized.keeps_last_graph =
      code != nullptr && code->keeps_last_graph && !is_true(plan.group_by_length);
  way.tape.train_norms = run.adapter().trains_norms();
  way.tape.adapter = adapter_format(plan);
  const auto rank = at_least(plan.adapter_rank, 1);
  way.execution.lora_rank = rank.value_or(kUsualAdapterRank);
  if (method != nullptr) {
    way.tape.adapter.form = method->form;
    way.tape.adapter.shared_factors = method->shared_factors.value_or(1);
  }
  // Methods on layers of their own choice are part of the model's code, whose embeddings stay
  // frozen.
  if (method != nullptr && !method->targets.empty()) {
    way.execution.lora_targets = method->targets;
    way.execution.embeddings_need_gradient = false;
    return;
  }
  if (way.tape.adapter.form == model::AdapterForm::scale) {
    set_targets(run, way, unknown);
    return;
  }
  // No target: nothing is put on a layer.
  const bool on_layers =
      method == nullptr || !method->place || method->place == AdapterPlace::layers;
  if (!on_layers) return;
  way.execution.embeddings_need_gradient = code == nullptr || code->embeddings_need_gradient;
  if (!rank) unknown.push_back("adapter_rank");
  set_targets(run, way, unknown);
}

}  // namespace gpulint
