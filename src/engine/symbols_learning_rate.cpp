// lr.*: the learning rate beside its reference.

#include "engine/symbols.h"

#include <cmath>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

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

/// The expected rate with as many digits as people write.
Value lr_suggested(Environment environment) {
  constexpr int kDigits = 3;
  const std::optional<double>& expected = environment.learning_rate().expected;
  if (!expected || *expected <= 0) return {};
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(*expected)));
  const double rounded = std::round(*expected * scale) / scale;
  return Value(std::isfinite(rounded) ? rounded : *expected);  // denormal rates overflow the scale
}

/// What a fix may write: nothing while the batch is only a lower bound, unless the host has a
/// single GPU.
Value lr_writable(Environment environment) {
  const Host* host = environment.host();
  const bool one_gpu = host != nullptr && host->gpu_count == 1;
  if (environment.learning_rate().batch_is_lower_bound && !one_gpu) return {};
  return lr_suggested(environment);
}

/// The config's rate is the reference's times the growth of the batch (or its square root): the
/// scaling is already written into it.
Value lr_scaled_in_config(Environment environment) {
  constexpr double kRounding = 0.02;  // rates are written with two or three digits
  constexpr double kLeastGrowth =
      0.1;  // below it a scaled rate cannot be told from an unscaled one
  const LearningRateJudgement& judgement = environment.learning_rate();
  const Maybe<double>& rate = environment.facts().learning_rate;
  if (!judgement.reference || !judgement.global_batch_size || !rate) return {};
  const LearningRateReference& reference = *judgement.reference;
  if (reference.global_batch_size <= 0 || reference.learning_rate <= 0) return {};
  const double growth = static_cast<double>(*judgement.global_batch_size) /
                        static_cast<double>(reference.global_batch_size);
  if (std::abs(growth - 1) < kLeastGrowth) return Value(false);
  const auto equals = [&](double factor) {
    return std::abs(rate->value / (reference.learning_rate * factor) - 1) <= kRounding;
  };
  return Value(equals(growth) || equals(std::sqrt(growth)));
}

/// Larger of expected / stated and its inverse: 1.25 = off by a quarter either way.
Value lr_off_by(Environment environment) {
  const std::optional<double>& expected = environment.learning_rate().expected;
  const Maybe<double>& rate = environment.facts().learning_rate;
  if (!expected || !rate || *expected <= 0 || rate->value <= 0) return {};
  return Value(std::max(*expected / rate->value, rate->value / *expected));
}

const std::vector<std::string_view> kRateFacts = {"learning_rate", "per_device_batch_size",
                                                  "optimizer", "reference_batch_size",
                                                  "reference_learning_rate"};

}  // namespace

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
      {"lr.suggested", number_type(), "lr.expected rounded to three digits", kRateFacts,
       lr_suggested},
      {"lr.writable", number_type(),
       "lr.suggested where the global batch is certain enough to write it", kRateFacts,
       lr_writable},
      {"lr.scaled_in_config", boolean_type(),
       "the learning rate is the reference's, already scaled to this batch", kRateFacts,
       lr_scaled_in_config},
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

}  // namespace gpulint
