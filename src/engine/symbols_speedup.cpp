// speedup.<switch>: how much shorter one step gets when a switch is set the better way, as the
// ratio of two predicted steps of the same plan. Because whole steps are compared, what two
// switches gain at the same bottleneck is not gained twice; multiplying the factors would be wrong.
// Each number has a text that names its baseline. Unknown where a step cannot be predicted;
// evaluated only when a message or fix asks.

#include "engine/symbols.h"
#include "time/time_step.h"

#include <fmt/format.h>

#include <string>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;
using Way = FactChanges (*)(const Gpu&);

std::optional<double> seconds_with(Environment environment, const FactChanges& changes) {
  EstimateRequest request = environment.request();
  if (request.run.gpu() == nullptr) return std::nullopt;
  if (!changes.empty()) request.run = request.run.with(changes);
  UnknownFacts ignored;
  const auto step = predict_step_time(request, ignored);
  if (!step) return std::nullopt;
  return step->total.central.value;
}

/// Several times longer, the one way against the other; unknown where nothing tells them apart.
std::optional<double> factor(Environment environment, Way slow, Way fast) {
  if (environment.gpu() == nullptr) return std::nullopt;
  const auto before = seconds_with(environment, slow(*environment.gpu()));
  const auto after = seconds_with(environment, fast(*environment.gpu()));
  if (!before || !after || !(*after > 0) || *before == *after) return std::nullopt;
  return *before / *after;
}

FactChanges full_precision(const Gpu&) {
  return {{"mixed_precision", "none"}, {"weights_dtype", ""}};
}
FactChanges half_precision(const Gpu& gpu) {
  return {{"mixed_precision", gpu.bf16_native ? "bf16" : "fp16"}, {"weights_dtype", ""}};
}
FactChanges without_tf32(const Gpu&) { return {{"tf32", "false"}}; }
FactChanges with_tf32(const Gpu&) { return {{"tf32", "true"}}; }
FactChanges channels_first(const Gpu&) { return {{"channels_last", "false"}}; }
FactChanges channels_last(const Gpu&) { return {{"channels_last", "true"}}; }
FactChanges eager(const Gpu&) { return {{"compile", "false"}}; }
FactChanges compiled(const Gpu&) { return {{"compile", "true"}}; }
FactChanges pageable(const Gpu&) { return {{"pin_memory", "false"}}; }
FactChanges pinned(const Gpu&) { return {{"pin_memory", "true"}}; }

Value number(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value words(const std::optional<double>& value, std::string_view baseline) {
  if (!value) return {};
  return Value(
      fmt::format("about x{:.2g} per step against {} (predicted, not measured)", *value, baseline));
}

std::optional<double> amp(Environment e) { return factor(e, full_precision, half_precision); }
std::optional<double> tf32(Environment e) { return factor(e, without_tf32, with_tf32); }
std::optional<double> layout(Environment e) { return factor(e, channels_first, channels_last); }
std::optional<double> compile(Environment e) { return factor(e, eager, compiled); }
std::optional<double> pinning(Environment e) { return factor(e, pageable, pinned); }

/// As many workers as leave the rank a core, against the plan's own; a loader whose rate nobody
/// stated says nothing.
std::optional<double> workers(Environment environment) {
  if (!environment.facts().samples_per_second_per_worker) return std::nullopt;
  const auto count = workers_with_a_free_core(environment);
  const auto& own = environment.facts().num_workers;
  if (!count || !own || own->value >= *count) return std::nullopt;
  const auto before = seconds_with(environment, {});
  const auto after = seconds_with(environment, {{"num_workers", std::to_string(*count)}});
  if (!before || !after || !(*after > 0)) return std::nullopt;
  return *before / *after;
}

std::string_view amp_baseline(Environment environment) {
  const auto& tf32 = environment.facts().tf32;
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr || !gpu->tf32) return "fp32";
  if (!tf32) return "fp32 with PyTorch's default of TF32 in convolutions only";
  return tf32->value ? "fp32 with TF32" : "fp32 without TF32";
}

}  // namespace

std::vector<SymbolRow> speedup_symbols() {
  const std::vector<std::string_view> precision = {"mixed_precision"};
  return {
      {"speedup.amp", number_type(), "time of a step in fp32 over that under mixed precision",
       precision, [](Environment e) { return number(amp(e)); }},
      {"speedup.amp_sentence", text_type(), "the same in words, with its baseline", precision,
       [](Environment e) { return words(amp(e), amp_baseline(e)); }},
      {"speedup.tf32",
       number_type(),
       "time of a step without TF32 over that with it",
       {"tf32"},
       [](Environment e) { return number(tf32(e)); }},
      {"speedup.tf32_sentence",
       text_type(),
       "the same in words, with its baseline",
       {"tf32"},
       [](Environment e) { return words(tf32(e), "fp32 without TF32"); }},
      {"speedup.channels_last",
       number_type(),
       "time of a step in NCHW order over channels-last",
       {"channels_last"},
       [](Environment e) { return number(layout(e)); }},
      {"speedup.channels_last_sentence",
       text_type(),
       "the same in words, with its baseline",
       {"channels_last"},
       [](Environment e) { return words(layout(e), "NCHW order"); }},
      {"speedup.compile",
       number_type(),
       "time of an eager step over that of a compiled one",
       {"compile"},
       [](Environment e) { return number(compile(e)); }},
      {"speedup.compile_sentence",
       text_type(),
       "the same in words, with its baseline",
       {"compile"},
       [](Environment e) { return words(compile(e), "the eager model"); }},
      {"speedup.workers",
       number_type(),
       "time of a step with the config's workers over that with fit.num_workers",
       {"num_workers"},
       [](Environment e) { return number(workers(e)); }},
      {"speedup.workers_sentence",
       text_type(),
       "the same in words, with its baseline",
       {"num_workers"},
       [](Environment e) { return words(workers(e), "the stated workers"); }},
      {"speedup.pin_memory",
       number_type(),
       "time of a step with batches from pageable memory over that from pinned memory",
       {"pin_memory"},
       [](Environment e) { return number(pinning(e)); }},
      {"speedup.pin_memory_sentence",
       text_type(),
       "the same in words, with its baseline",
       {"pin_memory"},
       [](Environment e) { return words(pinning(e), "pageable memory"); }},
  };
}

}  // namespace gpulint
