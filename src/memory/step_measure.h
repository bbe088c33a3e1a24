#pragma once

// One execution of a model's operators, reduced to the sums an estimate is made of.

#include "base/units.h"
#include "memory/reserved.h"
#include "model/tape.h"

#include <cstdint>
#include <optional>

namespace gpulint {

/// Elements of the weights, by what reads them; each counted once.
struct ParameterCensus {
  std::int64_t block_matrices = 0;  // of linear layers inside blocks
  std::int64_t embeddings = 0;
  std::int64_t head = 0;  // of linear layers outside of blocks
  std::int64_t adapters = 0;
  std::int64_t others = 0;           // norms, biases, convolutions
  std::int64_t experts = 0;          // of all these, the weights of experts
  std::int64_t expert_adapters = 0;  // of those, what adapters add
  std::int64_t largest_block = 0;
  std::int64_t outside_blocks = 0;
  friend bool operator==(const ParameterCensus&, const ParameterCensus&) = default;
  std::int64_t total() const;
};

struct StepMeasure {
  ParameterCensus census;
  std::int64_t parameters = 0;
  std::int64_t trainable_parameters = 0;
  std::int64_t largest_parameter = 0;  // elements
  Bytes gradients;                     // of all trainable weights
  Bytes inputs;                        // batch and labels on the device
  Bytes buffers;                       // running statistics, masks
  Bytes saved;                         // held by autograd when the loss is ready
  Bytes weight_casts;                  // autocast's copies at the end of the forward pass
  Bytes forward_peak;                  // above what is there before the step
  Bytes backward_peak;                 // likewise, with the gradients made so far
  Bytes forward_workspace;             // kernels' own share of the forward peak
  Bytes backward_workspace;            // likewise
  Bytes gradients_at_backward_peak;
  Bytes weight_casts_at_backward_peak;
  std::optional<ReservedSlack> reserved_slack;  // where the allocator was replayed
  Bytes largest_convolution;                    // output of one convolution
  bool fused_attention = false;
  /// Blocks are recomputed, but most of what runs is part of none: what the job recomputes is not
  /// what was played.
  bool recomputes_unknown_layers = false;
  bool replayable = false;  // short enough for the allocator to be replayed
  friend bool operator==(const StepMeasure&, const StepMeasure&) = default;
};

/// Only what no input decides: weights, their gradients and buffers.
StepMeasure measure_weights(const model::Tape& tape);

/// The sums of one forward pass and its backward, with pointwise chains merged into kernels and the
/// caching allocator replayed if asked.
StepMeasure measure_step(const model::Tape& tape, bool merged_kernels,
                         const ReplayOptions* replay = nullptr);

}  // namespace gpulint
