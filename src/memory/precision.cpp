// Bytes per parameter under the precision modes of PyTorch. Under autocast weights and gradients
// stay fp32 and a 16-bit copy of each cast weight lives from its first use until its gradient is
// done; a purely 16-bit network keeps everything, optimizer values included, in 16 bits. Master
// weights of sharding engines are counted in sharding.cpp. fp8 is counted as autocast: the 8-bit
// copies of a weight and of its transpose are 2 bytes together.
// Sources: torch/csrc autocast_mode.cpp (cached_cast); torch.optim (state in the parameter's
// dtype).

#include "memory/precision.h"

#include "run/fact_access.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace gpulint {
namespace {

constexpr NumberFormats kFull{exactly(4), exactly(0), exactly(4), exactly(4), {}, false};
constexpr NumberFormats kPureHalf{exactly(2), exactly(0), exactly(2), exactly(2), {}, true};
// Only weights of matrix operators are cast, embeddings and norms are not: between none and all.
constexpr NumberFormats kAutocast{exactly(4), {0, 2, 2}, exactly(4), exactly(4), {}, true};

// `central` with its lower ends taken from a purely 16-bit run, its upper ends from autocast.
NumberFormats undecided(const NumberFormats& central, double high_copy) {
  NumberFormats formats = central;
  formats.weight.low = formats.gradient.low = formats.state_value.low = 2;
  formats.autocast_copy.low = 0;
  formats.autocast_copy.high = high_copy;
  return formats;
}

// NF4 keeps 4 bits per weight and a scale per 64 weights: fp32 (0.5 bit more), or 8 bits with an
// fp32 one per 256 scales (0.127 bit more) under double quantization. Source: QLoRA, section 3.
constexpr double kNf4DoubleQuantized = (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;
constexpr double kNf4 = (4 + 32.0 / 64) / 8;

// 16-bit weights whose optimizer works in fp32: its states alone (fairseq's memory-efficient fp16),
// the weights too (gradients in 16 bits, or summed in fp32 instead: Megatron's main gradients), or
// copies of weights and gradients (fairseq's FP16Optimizer, Apex's O2).
NumberFormats half_weights_formats(const TrainingPlan& plan) {
  NumberFormats formats = kPureHalf;
  if (!keeps_masters(plan)) return formats;
  const std::string_view kept = text_of(plan.master_weights);
  formats.state_value = exactly(4);
  if (kept != "states") formats.master = exactly(4);
  if (kept == "gradients") formats.gradient = exactly(2 + 4);
  if (kept != "weights") return formats;
  const std::string_view summed = text_of(plan.gradient_dtype);
  formats.gradient = summed.empty() ? Range{2, 4, 4} : exactly(is_half(summed) ? 2 : 4);
  return formats;
}

}  // namespace

Range quantized_bytes(const TrainingPlan& plan) {
  const std::string_view quantization = text_of(plan.quantization);
  if (quantization == "8bit") return {1, 1, 1.02};  // rows have an fp16 scale each
  if (quantization != "4bit") return {};
  if (is_true(plan.double_quantization)) return exactly(kNf4DoubleQuantized);
  if (is_false(plan.double_quantization)) return exactly(kNf4);
  return {kNf4DoubleQuantized, kNf4, kNf4};
}

bool may_be_bf16(std::string_view mixed_precision) {
  return mixed_precision == "bf16" || mixed_precision == "enabled";
}

bool keeps_masters(const TrainingPlan& plan) {
  const std::string_view kept = text_of(plan.master_weights);
  return is_half(text_of(plan.weights_dtype)) && !kept.empty() && kept != "none";
}

bool runs_in_half_precision(const TrainingPlan& plan) {
  const std::string_view mixed = text_of(plan.mixed_precision);
  return (!mixed.empty() && mixed != "none") || is_half(text_of(plan.weights_dtype));
}

NumberFormats number_formats(const TrainingPlan& plan, UnknownFacts& unknown) {
  const std::string_view mixed = text_of(plan.mixed_precision);
  const std::string_view dtype = text_of(plan.weights_dtype);
  if (is_half(dtype)) return half_weights_formats(plan);
  if (mixed == "none") return kFull;  // fp32, or no word of another format
  if (mixed.empty()) {
    unknown.push_back("mixed_precision");
    if (dtype == "fp32") {
      NumberFormats formats = kFull;
      formats.autocast_copy = {0, 0, 2};
      return formats;
    }
    return undecided(kFull, 2);
  }
  // fp16 without fp32 weights cannot be trained with loss scaling; bf16 can and often is, and a
  // frozen base needs no scaling.
  const bool is_frozen = plan.adapter && plan.adapter->value != "none";
  if (dtype.empty() && (may_be_bf16(mixed) || is_frozen)) {
    unknown.push_back("weights_dtype");
    return undecided(kAutocast, 2);
  }
  return kAutocast;
}

Range quantized_weight_bytes(const TrainingPlan& plan, std::int64_t parameters,
                             UnknownFacts& unknown) {
  const std::string_view quantization = text_of(plan.quantization);
  if (quantization != "4bit" && quantization != "8bit") return {};
  const bool four = quantization == "4bit";
  const auto [low, central, high] = quantized_bytes(plan);
  const auto vocabulary = at_least(plan.vocab_size, 1);
  const auto hidden = at_least(plan.hidden_size, 1);
  if (!vocabulary || !hidden) {
    unknown.push_back(vocabulary ? "hidden_size" : "vocab_size");
    return {low, central, four ? 1.0 : 2.0};
  }
  // Embedding and head stay in 16 bits, or in 32 after preparation for k-bit training.
  const double all = static_cast<double>(std::max<std::int64_t>(parameters, 1));
  const double table = static_cast<double>(*vocabulary) * static_cast<double>(*hidden);
  const double one = std::min(1.0, table / all);
  const double both = std::min(1.0, 2 * table / all);
  return {low * (1 - one) + 2 * one, central * (1 - both) + 2 * both, high * (1 - both) + 4 * both};
}

}  // namespace gpulint
