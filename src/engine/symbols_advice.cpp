// fit.* and speedup.*: read by messages and fixes only. A search for the largest batch runs when
// its text is asked for; a speed-up is a ratio of two figures of the GPU's own data with both sides
// named, and unknown where either is missing.

#include "catalog/hardware.h"
#include "engine/symbols.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

Value fit_largest_batch(Environment environment) {
  const std::optional<std::int64_t> largest = environment.largest_batch();
  return largest && *largest >= 1 ? Value(*largest) : Value();
}

/// Samples of one rank between two optimizer steps, split into smaller batches that fit.
struct KeptBatch {
  std::int64_t per_device = 0;
  std::int64_t accumulation = 0;
};

/// The largest smaller batch that fits and divides what a rank sees per step: with it and the
/// accumulation to match, the global batch, and so the learning rate, stay as they are.
std::optional<KeptBatch> batch_keeping_global(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  if (!plan.per_device_batch_size || !plan.gradient_accumulation_steps) return std::nullopt;
  const std::int64_t now = plan.per_device_batch_size->value;
  const std::int64_t per_step = saturating_multiply(now, plan.gradient_accumulation_steps->value);
  constexpr std::int64_t kMostPerStep = 100'000'000;  // samples; more is a slip
  if (now < 2 || per_step > kMostPerStep) return std::nullopt;
  const std::optional<std::int64_t> largest = environment.largest_batch();
  if (!largest) return std::nullopt;
  for (std::int64_t batch = std::min(*largest, now - 1); batch >= 1; --batch) {
    if (per_step % batch == 0) return KeptBatch{batch, per_step / batch};
  }
  return std::nullopt;
}

Value fit_batch_keeping_global(Environment environment) {
  const auto kept = batch_keeping_global(environment);
  return kept ? Value(kept->per_device) : Value();
}

Value fit_accumulation_keeping_global(Environment environment) {
  const auto kept = batch_keeping_global(environment);
  return kept ? Value(kept->accumulation) : Value();
}

/// "; 16 x 4 accumulation steps keep the global batch", or nothing.
Value fit_keeping_sentence(Environment environment) {
  const auto kept = batch_keeping_global(environment);
  if (!kept) return Value("");
  if (kept->accumulation == 1) {
    return Value(fmt::format("; {} without accumulation keeps the global batch", kept->per_device));
  }
  return Value(fmt::format("; {} x {} accumulation steps keep the global batch", kept->per_device,
                           kept->accumulation));
}

Value fit_batch_low(Environment environment) {
  const std::optional<BatchRange> range = environment.batch_range();
  return range ? Value(range->low) : Value();
}

Value fit_batch_high(Environment environment) {
  const std::optional<BatchRange> range = environment.batch_range();
  return range && range->bounded_above ? Value(range->high) : Value();
}

Value fit_explanation(Environment environment) {
  const std::optional<BatchRange> range = environment.batch_range();
  return range && !range->explanation.empty() ? Value(range->explanation) : Value();
}

std::string samples_fit(std::int64_t count) {
  return count == 1 ? "1 sample per device fits" : fmt::format("{} samples per device fit", count);
}

/// "up to 192 samples per device fit" as far as it is known.
Value fit_sentence(Environment environment) {
  if (const std::optional<std::int64_t> largest = environment.largest_batch()) {
    if (*largest < 1) return Value("not even one sample per device fits");
    return Value("up to " + samples_fit(*largest));
  }
  const std::optional<BatchRange> range = environment.batch_range();
  if (!range) return Value("which batch fits cannot be told from this config");
  if (!range->bounded_above) {
    return Value("at least " + samples_fit(range->low));
  }
  return Value(fmt::format("between {} and {}", range->low, samples_fit(range->high)));
}

Value fit_num_workers(Environment environment) {
  return known_or_unknown(workers_with_a_free_core(environment));
}

Value fit_workers_sentence(Environment environment) {
  const std::optional<std::int64_t> workers = workers_with_a_free_core(environment);
  if (!workers) return Value("as many as decoding needs, fewer than the host has cores");
  return Value(fmt::format("up to {} per rank leave{} every rank a core of its own", *workers,
                           *workers == 1 ? "s" : ""));
}

/// The deepest prefetch with which even the high end of host memory leaves the wanted headroom.
Value fit_prefetch_factor(Environment environment) {
  const TrainingPlan& plan = environment.facts();
  const std::optional<Bytes>& available = environment.estimate().available_ram;
  if (!plan.prefetch_factor || !available) return {};
  constexpr std::int64_t kDeepestTried = 64;  // deeper queues are a slip; the search stays short
  const double most = available->as_double() * environment.subject().headroom;
  EstimateRequest request = environment.request();
  for (std::int64_t depth = std::min(plan.prefetch_factor->value - 1, kDeepestTried); depth >= 1;
       --depth) {
    request.run = environment.run().with({{"prefetch_factor", std::to_string(depth)}});
    const Estimate shallower = estimate(request);
    if (shallower.ram && shallower.ram->total.high.as_double() <= most) return Value(depth);
  }
  return {};
}

/// Rate the framework's own matrix product reaches where it was measured, the dense peak otherwise;
/// both sides of a ratio are taken alike.
template <Precision Fast, Precision Slow>
Value ratio(Environment environment) {
  const Gpu* gpu = environment.gpu();
  if (gpu == nullptr) return {};
  constexpr auto kFast = static_cast<std::size_t>(Fast);
  constexpr auto kSlow = static_cast<std::size_t>(Slow);
  const auto& peak = gpu->peak_flops;
  if (!peak[kFast] || !peak[kSlow] || peak[kSlow]->value <= 0) return {};
  double factor = peak[kFast]->value / peak[kSlow]->value;
  const auto& achieved = gpu->achieved_fraction;
  if (achieved[kFast] && achieved[kSlow] && *achieved[kSlow] > 0) {
    factor *= *achieved[kFast] / *achieved[kSlow];
  }
  return Value(factor);
}

}  // namespace

std::optional<std::int64_t> workers_with_a_free_core(const SubjectEnvironment& environment) {
  const TrainingPlan& plan = environment.facts();
  const Host* host = environment.host();
  std::optional<std::int64_t> cores;
  if (plan.cpu_cores) {
    cores = plan.cpu_cores->value;
  } else if (host != nullptr && host->cpu_cores) {
    cores = *host->cpu_cores;
  }
  if (!cores) return std::nullopt;
  return std::max<std::int64_t>(1, *cores / environment.run().layout().ranks_on_host - 1);
}

std::vector<SymbolRow> advice_symbols() {
  const std::vector<std::string_view> batch = {"per_device_batch_size"};
  return {
      {"fit.largest_batch", number_type(), "largest per-device batch that is sure to fit", batch,
       fit_largest_batch},
      {"fit.batch_low", number_type(), "largest batch that fits, if all memory grew with the batch",
       batch, fit_batch_low},
      {"fit.batch_high", number_type(), "largest batch that fits, at best", batch, fit_batch_high},
      {"fit.batch_keeping_global",
       number_type(),
       "largest smaller batch that fits and divides the samples of a rank per step",
       {"per_device_batch_size", "gradient_accumulation_steps"},
       fit_batch_keeping_global},
      {"fit.accumulation_keeping_global",
       number_type(),
       "accumulation steps that keep the global batch with fit.batch_keeping_global",
       {"per_device_batch_size", "gradient_accumulation_steps"},
       fit_accumulation_keeping_global},
      {"fit.keeping_sentence",
       text_type(),
       "the batch and accumulation that keep the global batch, in words; empty when not known",
       {"per_device_batch_size", "gradient_accumulation_steps"},
       fit_keeping_sentence},
      {"fit.explanation", text_type(), "why the range of batches is as wide as it is", batch,
       fit_explanation},
      {"fit.sentence", text_type(), "what is known of the largest batch, in words", batch,
       fit_sentence},
      {"fit.num_workers",
       number_type(),
       "workers per rank that leave every rank a core of its own",
       {"num_workers"},
       fit_num_workers},
      {"fit.workers_sentence",
       text_type(),
       "what is known of the right number of workers, in words",
       {"num_workers"},
       fit_workers_sentence},
      {"fit.prefetch_factor",
       number_type(),
       "deepest prefetch whose host memory is sure to fit",
       {"prefetch_factor"},
       fit_prefetch_factor},
      {"speedup.fp16_over_fp32",
       number_type(),
       "matrix rate of fp16 over fp32 on CUDA cores",
       {"mixed_precision"},
       ratio<Precision::fp16, Precision::fp32>},
      {"speedup.bf16_over_fp32",
       number_type(),
       "matrix rate of bf16 over fp32 on CUDA cores",
       {"mixed_precision"},
       ratio<Precision::bf16, Precision::fp32>},
      {"speedup.bf16_over_tf32",
       number_type(),
       "matrix rate of bf16 over TF32",
       {"mixed_precision"},
       ratio<Precision::bf16, Precision::tf32>},
      {"speedup.tf32_over_fp32",
       number_type(),
       "matrix rate of TF32 over fp32 on CUDA cores",
       {"tf32"},
       ratio<Precision::tf32, Precision::fp32>},
  };
}

}  // namespace gpulint
