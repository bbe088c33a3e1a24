#pragma once

// What gpulint knows of optimizers, adapters, implementations and sharding engines: one file each
// under knowledge/. Formulas stay in C++; these are the numbers and habits they are given.

#include "base/result.h"
#include "catalog/adapter_form.h"
#include "catalog/data_kind.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class Document;

/// An amount per trained parameter, in values or bytes: low <= usual <= high.
struct AmountRange {
  double low = 0;
  double usual = 0;
  double high = 0;
  friend bool operator==(const AmountRange&, const AmountRange&) = default;
};

/// An amount that depends on an option of the run ("momentum"): 0, above 0, or not stated.
struct OptionalAmount {
  AmountRange without;
  std::optional<AmountRange> with;     // unset: the option changes nothing
  std::optional<AmountRange> unknown;  // unset: as `without`, and nobody needs to state the option
};

/// Which learning rate another global batch size asks for.
enum class LearningRateRule : std::uint8_t { linear, square_root };

/// One update of all weights with fp32 values.
struct OptimizerUpdate {
  double fused_bytes = 0;    // read and written per parameter by one fused kernel
  double foreach_bytes = 0;  // likewise by one kernel per operation of the formula
  double kernels = 0;        // per group of tensors, of the second form
  bool waits = false;        // its usual form is a loop that asks the device about every tensor
};

/// knowledge/optimizers/<id>.yaml. `id` is the canonical value of the fact `optimizer`.
struct OptimizerTraits {
  static constexpr DataKind kKind = DataKind::optimizer;
  static Result<OptimizerTraits> parse(const Document& document);

  std::string id;
  std::string summary;
  /// Values kept in the dtype of the parameters it updates; by momentum. Unset: not described.
  std::optional<OptionalAmount> state_values;
  AmountRange state_bytes;     // kept whatever that dtype is
  OptionalAmount step_values;  // borrowed during one step; by weight decay
  bool paged = false;          // states may live in host memory
  std::optional<OptimizerUpdate> update;
  std::optional<LearningRateRule> learning_rate_rule;
  bool offers_fused = false;  // a switch of its framework runs the update as one kernel
  std::string small_state;    // id of the same method with 8-bit states; "" = none
  std::vector<std::string> sources;
};

/// Where an adapter method has its weights.
enum class AdapterPlace : std::uint8_t {
  layers,     // on linear layers, in a form of AdapterForm
  tokens,     // tokens in front of the others; the layers are only passed through
  attention,  // attention to a prompt beside the network's own, whose tensors are not described
  norms       // the weights of norms, or biases
};

/// knowledge/adapters/<id>.yaml. `id` is the canonical value of the fact `adapter`.
struct AdapterTraits {
  static constexpr DataKind kKind = DataKind::adapter;
  static Result<AdapterTraits> parse(const Document& document);

  std::string id;
  std::string summary;
  /// Unset: nobody described the method.
  std::optional<AdapterPlace> place;
  AdapterForm form = AdapterForm::low_rank;
  bool trains_norms = false;          // the weights of norms are trained beside it
  std::vector<std::string> targets;   // layers it is on whatever the run states; "*" = all
  std::optional<int> shared_factors;  // sets of factors that all layers of one name share
  double rating_values = 0;           // kept per trained weight to rate it, in its dtype
  std::vector<std::string> sources;
};

/// knowledge/implementations/<id>.yaml: whose modelling code runs the network. `id` is a value of
/// the fact `model_implementation`.
struct ImplementationTraits {
  static constexpr DataKind kKind = DataKind::implementation;
  static Result<ImplementationTraits> parse(const Document& document);

  std::string id;
  std::string summary;
  /// False: embeddings and head are two tensors whatever the model's own config says.
  bool ties_embeddings = true;
  bool quantizes_head = false;    // quantization takes the head with the blocks
  bool keeps_last_graph = false;  // the loop holds the last step's loss while the next one runs
  bool embeddings_need_gradient = true;  // with adapters: frozen embeddings still hand one on
  bool loss_over_tensor_ranks = false;   // tensor-parallel ranks each hold a part of the logits
  std::vector<std::string> sources;
};

/// What an engine makes of the model states of data-parallel ranks; the formulas are in C++.
enum class StateLayout : std::uint8_t {
  replicated,      // every rank keeps all of it
  fp32_masters,    // 16-bit weights, fp32 masters on the shard of a rank
  gathered_units,  // the shard keeps the weights' own format, units are gathered as they run
  main_gradients,  // fp32 gradients on every rank, the optimizer spread from stage 1 on
};

/// knowledge/engines/<id>.yaml: software that spreads states over data-parallel ranks. `id` is a
/// value of the fact `sharding_engine`.
struct EngineTraits {
  static constexpr DataKind kKind = DataKind::engine;
  static Result<EngineTraits> parse(const Document& document);

  std::string id;
  std::string summary;
  StateLayout states = StateLayout::replicated;
  bool flattens_units = false;  // a unit's weights are one tensor with one gradient
  bool lays_out_beforehand =
      false;                    // gradients and states exist for all that is trained, used or not
  bool adapts_experts = false;  // adapters on "all linear layers" take the experts too
  bool fuses_kernels = false;   // its layers run norms, gates and rotations in one kernel each
  std::vector<std::string> sources;
};

/// knowledge/words/<id>.yaml: words that names are compared without.
struct WordList {
  static constexpr DataKind kKind = DataKind::words;
  static Result<WordList> parse(const Document& document);

  std::string id;
  std::string summary;
  std::vector<std::string> words;
};

}  // namespace gpulint
