#include "estimate/fact_access.h"

#include "base/units.h"

#include <algorithm>

namespace gpulint {
namespace {

// A pixel is one byte as decoded (uint8) and four after the usual conversion to float32; where no
// size is stated, the loader may hand out either. Source: docs/estimator.md, "batch bytes".
constexpr Range kBytesPerPixelValue{1, 4, 4};
// Token ids, attention mask and labels, int64 each; the ids alone are the least a loader hands out.
constexpr Range kBytesPerToken{8, 24, 24};

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

bool stated(const Provenance& from) {
  return from.origin == Origin::stated || from.origin == Origin::project;
}

std::optional<BatchSize> from_image(const TrainingPlan& plan, std::int64_t samples) {
  const auto height = at_least(plan.image_size, 1);
  const auto channels = at_least(plan.channels, 1);
  if (!height || !channels) return std::nullopt;
  const std::int64_t width = at_least(plan.image_width, 1).value_or(*height);
  const double values = static_cast<double>(samples) * static_cast<double>(*channels) *
                        static_cast<double>(*height) * static_cast<double>(width);
  return BatchSize{.batch = times(values, kBytesPerPixelValue), .stated = false, .image = true};
}

std::optional<BatchSize> from_tokens(const TrainingPlan& plan, std::int64_t samples) {
  const auto tokens = at_least(plan.sequence_length, 1);
  if (!tokens) return std::nullopt;
  const double count = static_cast<double>(samples) * static_cast<double>(*tokens);
  return BatchSize{.batch = times(count, kBytesPerToken)};
}

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

std::int64_t ranks_on_host(const TrainingPlan& plan, const Host* host, UnknownFacts& unknown) {
  if (const auto ranks = at_least(plan.gpus_per_node, 1)) return *ranks;
  const auto world = at_least(plan.world_size, 1);
  if (world == 1) return 1;
  const auto nodes = at_least(plan.nodes, 1);
  if (world && nodes) return ceil_divide(*world, *nodes);
  unknown.push_back("gpus_per_node");
  if (world && host != nullptr && host->gpu_count && *host->gpu_count > 0) {
    return std::min<std::int64_t>(*world, *host->gpu_count);
  }
  return 1;
}

std::optional<std::int64_t> ranks_of_run(const TrainingPlan& plan) {
  if (const auto world = at_least(plan.world_size, 1)) return world;
  const auto ranks = at_least(plan.gpus_per_node, 1);
  if (!ranks) return std::nullopt;
  return saturating_multiply(*ranks, at_least(plan.nodes, 1).value_or(1));
}

std::optional<std::int64_t> hosts_of_run(const TrainingPlan& plan) {
  if (const auto nodes = at_least(plan.nodes, 1)) return nodes;
  const auto world = at_least(plan.world_size, 1);
  if (!world) return std::nullopt;
  if (world == 1) return 1;
  const auto ranks = at_least(plan.gpus_per_node, 1);
  if (!ranks) return std::nullopt;
  return ceil_divide(*world, *ranks);
}

std::optional<std::int64_t> global_batch(const TrainingPlan& plan) {
  if (const auto stated_batch = at_least(plan.global_batch_size, 1)) return stated_batch;
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const auto accumulation = at_least(plan.gradient_accumulation_steps, 1);
  auto replicas = at_least(plan.data_parallel_size, 1);
  if (!replicas) replicas = ranks_of_run(plan);
  if (!batch || !accumulation || !replicas) return std::nullopt;
  return saturating_multiply(saturating_multiply(*batch, *accumulation), *replicas);
}

std::optional<BatchSize> batch_size(const TrainingPlan& plan) {
  const bool image = plan.image_size.has_value();
  const auto batch = positive(plan.batch_bytes);
  if (batch && stated(plan.batch_bytes->from)) {
    return BatchSize{.batch = exactly(*batch), .stated = true, .image = image};
  }
  const auto samples = at_least(plan.per_device_batch_size, 1);
  const auto sample = positive(plan.sample_bytes);
  if (sample && samples) {
    return BatchSize{.batch = exactly(*sample * *samples),
                     .stated = stated(plan.sample_bytes->from),
                     .image = image};
  }
  if (samples) {
    if (auto from = from_image(plan, *samples)) return from;
    if (auto from = from_tokens(plan, *samples)) return from;
  }
  if (batch) return BatchSize{.batch = exactly(*batch), .stated = false, .image = image};
  return std::nullopt;
}

}  // namespace gpulint
