#pragma once

// What is trained beside frozen weights, and how those are kept.

#include "memory/step_ways.h"
#include "plan/training_plan.h"
#include "run/quantity.h"

namespace gpulint {

/// Weights are frozen and an adapter is trained.
bool has_adapter(const TrainingPlan& plan);
/// The base weights are kept in 4 or 8 bits.
bool has_quantized_base(const TrainingPlan& plan);
/// Modules outside of the blocks (embeddings, head) are trained whole beside the adapter.
bool trains_embeddings(const TrainingPlan& plan);
/// The weights of norms are trained beside it.
bool trains_norms(const TrainingPlan& plan);
/// Quantization takes the head with the blocks (Lightning Fabric's plugin takes every linear
/// layer).
bool quantizes_head(const TrainingPlan& plan);
/// The adapter is of a method whose forward pass nobody described.
bool has_undescribed_adapter(const TrainingPlan& plan);
/// The adapter adds attention to a prompt, whose tensors are not described.
bool attends_to_prompt(const TrainingPlan& plan);
/// Bytes of one adapter weight.
Range adapter_weight_bytes(const TrainingPlan& plan);

/// Freezes the base and puts the adapter on its targets; names what is open.
void set_adapter(const TrainingPlan& plan, StepWay& way, UnknownFacts& unknown);

}  // namespace gpulint
