#pragma once

// What decides how one forward pass is recorded: number formats, frozen and quantized weights,
// recomputation, and the form of the loss.

#include "catalog/adapter_form.h"
#include "model/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::model {

struct PrecisionPolicy {
  DType weights = DType::fp32;
  DType input = DType::fp32;
  std::optional<DType> autocast = std::nullopt;  // fp16 or bf16
  friend bool operator==(const PrecisionPolicy&, const PrecisionPolicy&) = default;
};

/// Section of the parameters that adapters add; naming it in TapeOptions::trained freezes the rest.
inline constexpr std::string_view kAdapterSection = "adapter";

/// Section of weights the program's authors never train, whatever the options say.
inline constexpr std::string_view kFrozenSection = "frozen";

/// What the loss keeps of a language model's logits.
enum class LossForm : std::uint8_t {
  full,      // all of them, and their log-softmax
  in_place,  // one fp32 copy, overwritten by the softmax and then by the gradient
  chunked,   // logits and log-softmax, but their fp32 copies and gradients a chunk at a time
  fused  // computed with the head a chunk at a time, gradient included; nothing but that is kept
};

using gpulint::AdapterForm;

/// How adapters beside frozen weights run.
struct AdapterFormat {
  AdapterForm form = AdapterForm::low_rank;
  std::optional<DType> weights = std::nullopt;  // the policy's when not set
  std::optional<DType> compute = std::nullopt;  // autocast's format; the weights' when not set
  double dropout = 0;
  std::int64_t shared_factors = 1;  // of mixed_factors: sets that layers of one name share
  friend bool operator==(const AdapterFormat&, const AdapterFormat&) = default;
};

/// Frozen weights of linear layers in 4 or 8 bits, unpacked for every product.
struct QuantizedBase {
  bool enabled = false;
  bool head_too = false;     // layers outside of blocks as well
  bool keeps_input = false;  // the product's backward node holds what it read
  /// What a node holds itself goes with the graph, not with its backward; the loop's loss keeps the
  /// graph of a step until the next one has a loss.
  bool keeps_last_graph = false;
  friend bool operator==(const QuantizedBase&, const QuantizedBase&) = default;
};

/// What cuDNN's kernels borrow while they run.
enum class ConvolutionWorkspace : std::uint8_t {
  none,     // implicit matrix products; or counted elsewhere
  winograd  // fp32 3x3 convolutions transform input, output and weights into buffers
};

struct TapeOptions {
  PrecisionPolicy precision = {};
  bool allow_inplace = true;        // false: every inplace=True switched off
  bool batch_norm_training = true;  // false: batch norms in eval mode
  bool checkpoint_blocks = false;   // every block recomputes its forward in the backward pass
  std::vector<std::string> checkpointed = {};  // only blocks of these names; empty = all
  std::int64_t checkpoint_every = 1;           // of those, only each n-th
  bool keep_matrix_products = false;  // they keep attention and every second matrix product
  bool offload_block_inputs = false;  // what they keep waits in host memory
  LossForm loss = LossForm::full;
  bool merged_loss = false;  // one kernel: no log-softmax in memory
  /// Ranks hold a share of the logits each and write the log-softmax out: shifted logits or their
  /// exponentials lie beside it, forward and backward (torch/distributed/tensor/parallel/loss.py).
  bool written_out_loss = false;
  ConvolutionWorkspace convolution_workspace = ConvolutionWorkspace::none;
  bool softmax_keeps_input = false;  // PyTorch before 1.11; beside the result
  /// PyTorch before 1.10: a relu that is not in place keeps its input instead of its result, a
  /// relu6 in place its result instead of a clone.
  bool relu_keeps_input = false;
  /// PyTorch before 2.0: gradients that meet are added into a new tensor, not in place.
  bool gradients_summed_apart = false;
  bool composed_group_norm = false;  // PyTorch before 1.5: a batch norm, then scale and shift
  AdapterFormat adapter = {};
  QuantizedBase quantized = {};
  /// False: a forward pass alone. No weight is trained and nothing is kept for a backward pass,
  /// whatever is said below.
  bool autograd = true;
  std::vector<std::string> frozen = {};   // sections whose parameters need no gradient
  std::vector<std::string> trained = {};  // when not empty: everything else is frozen
  /// Embeddings and head are trained all the same.
  bool train_outside_blocks = false;
  bool train_norms = false;  // likewise the weights of norms
  friend bool operator==(const TapeOptions&, const TapeOptions&) = default;
};

}  // namespace gpulint::model
