// 1F1B: stage i of p holds min(micro-batches, p - i) micro-batches; the first holds most layers'
// activations, the last the logits. Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2.

#include "memory/pipeline.h"

#include "memory/step_ways.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::string_view kLayerCount = "num_hidden_layers";

}  // namespace

bool set_stage_layers(const TrainingPlan& plan, const model::ModelLibrary::Found& found,
                      ModelDimensions& dimensions) {
  const std::int64_t stages = at_least(plan.pipeline_parallel_size, 1).value_or(1);
  const auto layers = whole_dimension(found, dimensions, kLayerCount);
  if (stages <= 1 || !layers || *layers < 1) return false;
  dimensions[std::string(kLayerCount)] = (*layers - 1) / stages + 1;
  return true;
}

std::int64_t micro_batches_in_flight(const TrainingPlan& plan) {
  const std::int64_t stages = at_least(plan.pipeline_parallel_size, 1).value_or(1);
  return std::min(stages, at_least(plan.gradient_accumulation_steps, 1).value_or(stages));
}

StepMeasure most_loaded(const StepMeasure& last, const StepMeasure& body, std::int64_t in_flight) {
  StepMeasure step = last;
  const Bytes waiting = body.saved * (in_flight - 1);
  step.saved = std::max(last.saved, body.saved + waiting);
  step.forward_peak = std::max(last.forward_peak, body.forward_peak + waiting);
  if (body.backward_peak + waiting > last.backward_peak) {
    step.backward_peak = body.backward_peak + waiting;
    step.gradients_at_backward_peak = body.gradients_at_backward_peak;
    step.weight_casts_at_backward_peak = body.weight_casts_at_backward_peak;
  }
  return step;
}

}  // namespace gpulint
