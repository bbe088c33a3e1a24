#include "engine/learning_rate.h"

// Which learning rate another global batch size asks for. SGD: proportional to the batch (Goyal et
// al. 2017, arXiv:1706.02677, section 2.1). Adam and RMSprop: proportional to its square root
// (Malladi et al. 2022, arXiv:2205.10287; for LAMB You et al. 2019, arXiv:1904.00962, section 4).
// The files of knowledge/optimizers say which. Those of optimizers that set their own rate
// (Prodigy, D-Adaptation, Adafactor's relative step) and of those without a published rule (Lion,
// Muon, Shampoo) say nothing, and then no rule speaks.

#include "base/units.h"
#include "plan/knowledge.h"

#include <cmath>

namespace gpulint {
namespace {

std::optional<LearningRateReference> stated_reference(const TrainingPlan& plan) {
  if (!plan.reference_learning_rate || !plan.reference_batch_size) return std::nullopt;
  if (plan.reference_batch_size->value <= 0 || plan.reference_learning_rate->value <= 0) {
    return std::nullopt;
  }
  LearningRateReference reference;
  reference.kind = LearningRateReference::Kind::stated;
  reference.learning_rate = plan.reference_learning_rate->value;
  reference.global_batch_size = plan.reference_batch_size->value;
  reference.span = plan.reference_learning_rate->from.span;
  return reference;
}

/// The global batch. Where accumulation or world size is unknown the rest is a lower bound, which
/// decides only above the reference: the real batch can only be larger still.
void set_global_batch(const TrainingPlan& plan, LearningRateJudgement& judgement) {
  if (plan.global_batch_size) {
    judgement.global_batch_size = plan.global_batch_size->value;
    return;
  }
  if (!plan.per_device_batch_size || !judgement.reference) return;
  std::int64_t batch = plan.per_device_batch_size->value;
  for (const auto* factor :
       {&plan.gradient_accumulation_steps,
        plan.data_parallel_size ? &plan.data_parallel_size : &plan.world_size}) {
    if (*factor) batch = saturating_multiply(batch, (*factor)->value);
  }
  if (batch <= judgement.reference->global_batch_size) return;
  judgement.global_batch_size = batch;
  judgement.batch_is_lower_bound = true;
}

}  // namespace

std::optional<LearningRateRule> learning_rate_rule(const TrainingPlan& plan) {
  const OptimizerTraits* optimizer = optimizer_of(plan);
  return optimizer != nullptr ? optimizer->learning_rate_rule : std::nullopt;
}

LearningRateJudgement judge_learning_rate(const TrainingPlan& plan, const Dialect* dialect,
                                          const std::optional<LearningRateReference>& outside) {
  LearningRateJudgement judgement;
  judgement.reference = stated_reference(plan);
  if (!judgement.reference) judgement.reference = outside;
  set_global_batch(plan, judgement);
  judgement.rule = learning_rate_rule(plan);
  if (plan.learning_rate_scaling) {
    judgement.scaled_in_code = plan.learning_rate_scaling->value != "none";
  } else if (dialect != nullptr) {
    judgement.scaled_in_code = dialect->scales_learning_rate;
  }
  if (judgement.reference && judgement.global_batch_size && judgement.rule &&
      *judgement.global_batch_size > 0 && judgement.reference->global_batch_size > 0) {
    const double growth = static_cast<double>(*judgement.global_batch_size) /
                          static_cast<double>(judgement.reference->global_batch_size);
    const bool linear = *judgement.rule == LearningRateRule::linear;
    judgement.expected = judgement.reference->learning_rate * (linear ? growth : std::sqrt(growth));
  }
  return judgement;
}

}  // namespace gpulint
