#pragma once

// Plans and machines built by hand, for the tests of the estimate room.

#include "estimate/estimate.h"
#include "search/largest_batch.h"
#include "unit/shipped_plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint::test {

template <class T, class V>
void state(Maybe<T>& fact, V&& value) {
  fact = Fact<T>{T(std::forward<V>(value)), Provenance{}};
}

inline Bytes mb(std::int64_t n) { return Bytes::of(n * 1'000'000); }
inline Bytes gb(std::int64_t n) { return Bytes::of(n * 1'000'000'000); }
inline double in_mib(Bytes bytes) { return bytes.as_double() / 1048576.0; }

/// A plan put together by hand on a target, which any question can be asked about.
struct PlanOn {
  const TrainingPlan* plan = nullptr;
  const Gpu* gpu = nullptr;
  const Host* host = nullptr;
  std::span<const Measurement> measurements = {};
  const KnownModels* models = nullptr;
  std::optional<Seconds> step_time = {};
  bool predict_time = false;

  operator EstimateRequest() const {  // NOLINT: a test asks as shortly as it can
    return {ResolvedRun::of(*plan, models, {gpu, host}), measurements, step_time, predict_time};
  }
};
inline Estimate estimate(const PlanOn& on) { return gpulint::estimate(EstimateRequest(on)); }
inline std::optional<std::int64_t> largest_batch_that_fits(const PlanOn& on) {
  return gpulint::largest_batch_that_fits(EstimateRequest(on));
}
inline std::optional<BatchRange> batch_range_that_fits(const PlanOn& on) {
  return gpulint::batch_range_that_fits(EstimateRequest(on));
}

inline Estimate estimate_of(const TrainingPlan& plan, const Gpu* gpu = nullptr,
                            const Host* host = nullptr,
                            std::span<const Measurement> measurements = {}) {
  return estimate(PlanOn{&plan, gpu, host, measurements});
}

inline const Term* find_term(std::span<const Term> terms, std::string_view name) {
  for (const Term& term : terms) {
    if (term.name == name) return &term;
  }
  return nullptr;
}

/// Zero where there is no such term.
inline Bytes term(const VramEstimate& vram, std::string_view name) {
  const Term* found = find_term(vram.terms, name);
  return found == nullptr ? Bytes{} : found->bytes;
}

inline Bytes sum_of(std::span<const Term> terms) {
  Bytes sum;
  for (const Term& term : terms) sum += term.bytes;
  return sum;
}

inline bool is_unknown(const Estimate& result, std::string_view name) {
  for (const std::string& fact : result.unknown) {
    if (fact == name) return true;
  }
  return false;
}

/// Full fine-tuning of 16-bit weights under AdamW on one GPU, all activations kept.
inline TrainingPlan bf16_on_one_gpu(std::string_view model, std::int64_t batch,
                                    std::int64_t tokens) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, model);
  state(plan.per_device_batch_size, batch);
  state(plan.sequence_length, tokens);
  state(plan.weights_dtype, "bf16");
  state(plan.mixed_precision, "none");
  state(plan.optimizer, "adamw");
  state(plan.activation_checkpointing, "none");
  state(plan.world_size, 1);
  state(plan.sharding_stage, 0);
  return plan;
}

/// A T4: 40 SMs, sm_75 workspace; total as CUDA reports it (14.56 GiB).
inline Gpu t4() {
  Gpu gpu;
  gpu.id = "t4";
  gpu.sm_count = 40;
  gpu.usable_memory = BytesRange{Bytes::mib(14909), Bytes::mib(14913)};
  gpu.cublas_workspace = Bytes::of(8'519'680);
  return gpu;
}

/// An A100 40 GB with the CUDA totals seen on Linux.
inline Gpu a100() {
  Gpu gpu;
  gpu.id = "a100-pcie-40gb";
  gpu.sm_count = 108;
  gpu.usable_memory = BytesRange{Bytes::mib(40441), Bytes::mib(40654)};
  gpu.cublas_workspace = Bytes::of(8'519'680);
  return gpu;
}

}  // namespace gpulint::test
