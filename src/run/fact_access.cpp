#include "run/fact_access.h"

#include "base/units.h"
#include "model/model_names.h"
#include "plan/layout.h"

#include <algorithm>
#include <charconv>

namespace gpulint {
namespace {

// Derived sizes count a pixel value as float32; a loader that delivers uint8 needs a quarter.
constexpr Range kOfDerivedImage{0.25, 1, 1};
// Derived token batches count ids, mask and labels; the ids alone are a third.
constexpr Range kOfDerivedTokens{1.0 / 3, 1, 1};

}  // namespace

std::optional<std::int64_t> at_least(const Maybe<std::int64_t>& fact, std::int64_t minimum) {
  if (!fact || fact->value < minimum) return std::nullopt;
  return fact->value;
}

std::optional<Bytes> positive(const Maybe<Bytes>& fact) {
  if (!fact || fact->value.count() <= 0) return std::nullopt;
  return fact->value;
}

std::string_view text_of(const Maybe<std::string>& fact) {
  return fact ? std::string_view(fact->value) : std::string_view();
}

bool is_taken_by_code(const Provenance& from) {
  return from.origin == Origin::code || from.detail.starts_with(kTakenIn);
}

bool is_written(const Provenance& from) {
  return from.origin == Origin::stated || from.origin == Origin::project;
}

std::optional<std::int64_t> global_batch(const TrainingPlan& plan) {
  if (const auto stated_batch = at_least(plan.global_batch_size, 1)) return stated_batch;
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const auto accumulation = at_least(plan.gradient_accumulation_steps, 1);
  const auto replicas = layout_of(plan).replicas;
  if (!batch || !accumulation || !replicas) return std::nullopt;
  return saturating_multiply(saturating_multiply(*batch, *accumulation), *replicas);
}

bool may_be_short(const TrainingPlan& plan) {
  if (!plan.sequence_length || is_true(plan.packing) || is_true(plan.pad_to_max_length)) {
    return false;
  }
  return is_false(plan.packing) || is_true(plan.sequence_length_is_limit);
}

std::int64_t sequences_of(const TrainingPlan& plan, std::int64_t samples) {
  if (is_true(plan.packing)) return samples;
  return saturating_multiply(samples, at_least(plan.sequences_per_sample, 1).value_or(1));
}

bool is_sized_by_name(const TrainingPlan& plan) {
  return plan.parameters && plan.parameters->from.origin == Origin::assumed;
}

std::string_view usual_networks_like(const TrainingPlan& plan) {
  const auto named = plan.model ? model::size_in_name(plan.model->value) : std::nullopt;
  if (!named || !named->is_whole) return {};
  if (!plan.parameters || plan.parameters->value != named->parameters) return {};
  return named->of_a_token > 0 ? "usual-experts" : "usual-decoders";
}

bool is_torch_before(const TrainingPlan& plan, Release release) {
  const std::string_view stated = text_of(plan.torch_version);
  const char* end = stated.data() + stated.size();
  Release used;
  const auto [point, error] = std::from_chars(stated.data(), end, used.major);
  if (error != std::errc()) return false;
  if (point != end && *point == '.') std::from_chars(point + 1, end, used.minor);
  return used.major < release.major || (used.major == release.major && used.minor < release.minor);
}

std::optional<std::int64_t> evaluation_batch(const TrainingPlan& plan) {
  if (text_of(plan.eval_strategy) == "no") return std::nullopt;
  return at_least(plan.eval_batch_size, 1);
}

std::optional<Interval> batch_bytes(const TrainingPlan& plan) {
  const auto batch = positive(plan.batch_bytes);
  if (batch && is_written(plan.batch_bytes->from)) return exactly(*batch);
  const auto samples = at_least(plan.per_device_batch_size, 1);
  const auto sample = positive(plan.sample_bytes);
  if (sample && samples && is_written(plan.sample_bytes->from)) return exactly(*sample * *samples);
  const std::optional<Bytes> derived = sample && samples ? *sample * *samples : batch;
  if (!derived) return std::nullopt;
  if (plan.image_size) return times(derived->as_double(), kOfDerivedImage);
  if (plan.sequence_length) return times(derived->as_double(), kOfDerivedTokens);
  return exactly(*derived);
}

}  // namespace gpulint
