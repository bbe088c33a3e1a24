#pragma once

// What the network itself asks for at one batch size, whoever knows it: facts the user stated, or
// the operators of a known model. The rest of this room sees only this struct, so a better source
// is a better producer of it and changes nothing else.

#include "memory/memory_estimate.h"
#include "memory/step_measure.h"
#include "run/quantity.h"
#include "run/resolved_run.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpulint {

/// The backward pass as played by the operators of a known model.
struct PlayedBackward {
  Interval activations;       // saved tensors and gradients of activations at the peak
  Interval autocast_copies;   // weight copies still held there
  double gradient_share = 0;  // of the weights' gradients, made by then
};

struct ModelFootprint {
  VramBasis basis = VramBasis::states_only;
  std::int64_t parameters = 0;            // of the whole network, tied weights once; 0 = unknown
  std::int64_t trainable_parameters = 0;  // of those, after freezing
  bool activations_known = false;         // false: the total is a lower bound
  bool answers_together = false;   // the low end is what several open facts leave at once
  bool recomputes_blocks = false;  // checkpointing: a live block comes on top of the saved ones

  Interval saved_activations;       // bytes autograd holds when the loss is ready
  Interval loss_transients;         // logits, loss and its gradient beyond the saved tensors
  Interval input_batch;             // the batch on the device, with its cast copy under autocast
  Interval evaluation_activations;  // bytes alive at once without autograd
  /// Weight copies of autocast, where it is known which weights are cast; else derived from the
  /// parameter count.
  std::optional<Interval> autocast_copies;

  // Known of models that are described by operators only.
  std::string model;        // id in the database
  std::string description;  // "resnet50 at batch 256, 224 pixels, fp16 mixed precision"
  std::string refusal;      // why the model cannot run with the stated sizes
  std::optional<PlayedBackward> backward;
  std::optional<ReservedSlack> reserved_slack;  // of the caching allocator
  Bytes buffers;                                // running statistics, masks
  Interval convolution_workspace;               // of one convolution at a time
  Bytes forward_workspace;                      // kernels' share of `loss_transients`
  Bytes backward_workspace;                     // and of the backward pass; they can do with less
  ParameterCensus census;                       // of one rank's layers; all 0 = unknown
  std::int64_t largest_parameter = 0;           // elements
  Range model_scale = exactly(1);  // stated over published parameters, where they differ
};

/// From stated facts (`parameters`, `activation_bytes_per_sample`) at `per_device_batch_size`
/// samples. nullopt when neither is stated; missing names go to `unknown`.
std::optional<ModelFootprint> stated_footprint(const ResolvedRun& run,
                                               std::optional<std::int64_t> per_device_batch_size,
                                               UnknownFacts& unknown);

}  // namespace gpulint
