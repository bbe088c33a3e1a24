#pragma once

// What a tape holds when the forward pass is through: storages, operators, and the links between
// them. Plain values; `estimate` reads them, only the tape writes them.

#include "model/operator_kind.h"
#include "model/tensor.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint::model {

/// Floating-point operations; a multiply-add counts as two.
struct Flops {
  double value = 0;
  friend constexpr auto operator<=>(Flops, Flops) = default;
};

enum class StorageKind : std::uint8_t {
  activation,
  parameter,
  buffer,
  input,
  target,
  weight_cast,  // half-precision copy of an fp32 weight in autocast's cache
};

struct Storage {
  std::int64_t bytes = 0;
  StorageKind kind = StorageKind::activation;
  DType dtype = DType::fp32;
  bool saved = false;                // held by autograd when the loss is ready
  bool trainable = false;            // parameters
  bool held = false;                 // the training loop's own variables: logits and loss
  bool block_input = false;          // handed to a block that runs again in the backward pass
  bool experts = false;              // parameters of a layer's experts, all of them together
  bool scratch = false;              // of one kernel while it runs, forward and again backward
  bool of_graph = false;             // saved until the graph goes, not only until its backward
  std::uint32_t created_by = 0;      // index into operators
  std::uint32_t last_used_by = 0;    // last operator of the forward pass that reads or writes it
  StorageId half_copy = kNoStorage;  // parameters: entry of the autocast weight cache
  StorageId full_copy = kNoStorage;  // weight casts: the parameter they were made from
  std::uint32_t saved_in_block = 0;  // 1-based checkpointing block that would save it first
  friend bool operator==(const Storage&, const Storage&) = default;
};

/// [rows x depth] times [depth x columns], `batch` times: the work of linear layers, convolutions
/// (as implicit matrix products; batch = groups), batched products, attention scores and one step
/// of recurrent layers (batch = steps). All zero for other operators.
struct MatrixProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  std::int64_t batch = 0;
  friend constexpr auto operator<=>(const MatrixProduct&, const MatrixProduct&) = default;
};

/// What lets a convolution run as products of transformed tiles: a window without groups, stride,
/// dilation or transposition, either 3 x 3 or over one axis. `taps` 0: any other operator.
struct PlainWindow {
  std::int64_t taps = 0;
  std::int64_t squares = 0;  // of 4 x 4 results under 3 x 3 windows, over all samples
  std::int64_t length = 0;   // results along the one axis
  friend bool operator==(const PlainWindow&, const PlainWindow&) = default;
};

/// One primitive operator as executed. Its storages are `links[first_link, first_link + count)`.
struct Operator {
  OperatorKind kind = OperatorKind::custom;
  Flops forward;
  Flops backward;
  std::int64_t bytes_moved = 0;  // forward: reads and writes once
  MatrixProduct product = {};
  PlainWindow window = {};
  std::uint32_t first_link = 0;
  std::uint32_t link_count = 0;
  std::uint32_t block = 0;       // 1-based checkpointing block; 0 = outside of all
  bool differentiable = false;   // has a node in the backward graph
  bool passes_gradient = false;  // the gradient of its inputs is a view of that of its output
  bool windows_overlap = false;  // a convolution that reads a position for several of its results
  friend bool operator==(const Operator&, const Operator&) = default;
};

enum class LinkRole : std::uint8_t { reads, writes, saves };
struct Link {
  StorageId storage = kNoStorage;
  LinkRole role = LinkRole::reads;
  bool needs_gradient = false;
  std::int64_t gradient_bytes = 0;  // reads and writes that need a gradient
  friend bool operator==(const Link&, const Link&) = default;
};

/// One activation-checkpointing candidate (a `block` of a model file).
struct Block {
  std::string name;
  std::int64_t saved_bytes = 0;  // what its operators save when run without checkpointing
  std::int64_t input_bytes = 0;  // what checkpointing keeps in their place
  std::uint32_t first_operator = 0;
  std::uint32_t operator_count = 0;
  bool recomputed = false;  // runs its forward again in the backward pass
  friend bool operator==(const Block&, const Block&) = default;
};

/// So many of everything a tape holds.
struct TapeExtent {
  std::size_t storages = 0;
  std::size_t operators = 0;
  std::size_t links = 0;
  std::size_t blocks = 0;
  friend bool operator==(const TapeExtent&, const TapeExtent&) = default;
};

/// Layers that repeat, recorded once: the `period` that ends at `end` stands for itself and for
/// `times` more like it, which would come between it and what follows. One period before it and
/// some behind it are recorded too, so that what is played of one layer is what is played of all
/// that it stands for.
struct Fold {
  TapeExtent end;
  TapeExtent period;
  std::size_t times = 0;
  friend bool operator==(const Fold&, const Fold&) = default;

  bool has_operator(std::size_t index) const {
    return index < end.operators && index >= end.operators - period.operators;
  }
  bool has_storage(std::size_t id) const {
    return id < end.storages && id >= end.storages - period.storages;
  }
  /// A storage that every period has of its own: not one from before the first of them.
  bool is_of_some_period(std::size_t id) const { return id >= end.storages - 2 * period.storages; }
};

}  // namespace gpulint::model
