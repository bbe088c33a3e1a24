#pragma once

#include "expr/value.h"
#include "model/ops.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::model {

/// What an execution of a program asks of operators beyond the tape.
struct ExecutionOptions {
  AttentionBackend attention = AttentionBackend::flash;
  bool dropout = true;  // training mode; false: every dropout probability is 0
  std::vector<std::string> lora_targets = {};  // names of linear layers; "*" = every named one
  std::int64_t lora_rank = 0;
  bool lora_experts = false;             // on every expert as well
  bool embeddings_need_gradient = true;  // adapters: the script lets it reach the first layer
  friend bool operator==(const ExecutionOptions&, const ExecutionOptions&) = default;
};

class Arguments;

/// Names of tensors and weights a running program has seen so far.
class Machine {
 public:
  Machine(Tape& step_tape, const ExecutionOptions& execution)
      : tape(step_tape), options(execution) {}

  Tape& tape;
  const ExecutionOptions& options;

  /// The tensor last named `name`; refuses when there is none.
  Tensor tensor(std::string_view name);
  bool has_tensor(std::string_view name) const;
  void name_tensor(std::string name, const Tensor& tensor);
  std::size_t mark() const { return tensors_.size(); }
  void forget_since(std::size_t mark) { tensors_.resize(mark); }
  /// All names given so far, the shadowed ones too.
  const std::vector<std::pair<std::string, Tensor>>& names() const { return tensors_; }

  /// A weight that several operators may share under one name ("" = its own).
  Tensor weight(std::string_view name, const Dims& sizes);
  /// Those that have a name.
  std::size_t weights() const { return weights_.size(); }

 private:
  std::vector<std::pair<std::string, Tensor>> tensors_;
  std::vector<std::pair<std::string, Tensor>> weights_;
};

/// An evaluated argument; the value lies with whoever runs the operator.
struct Argument {
  std::string_view name;
  const expr::Value* value = nullptr;
};

/// Evaluated arguments of one operator. Wrong types are refused on the tape, with the name.
class Arguments {
 public:
  Arguments(Tape& tape, std::span<const Argument> arguments) : tape_(tape), arguments_(arguments) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  double real(std::string_view name, double fallback) const;
  bool flag(std::string_view name, bool fallback) const;
  std::string word(std::string_view name, std::string_view fallback = "") const;
  /// A list, or one number for all `count` entries.
  Dims sizes(std::string_view name, std::size_t count, std::int64_t fallback) const;
  Dims list(std::string_view name) const;
  std::vector<std::string> words(std::string_view name) const;

 private:
  const expr::Value* find(std::string_view name) const;
  void refuse(std::string_view name, std::string_view expected) const;
  Tape& tape_;
  std::span<const Argument> arguments_;
};

/// One operator of the language. `parameters`: names separated by blanks, the first being the one
/// a bare scalar fills; a trailing '!' marks what must be given.
struct OperatorRule {
  std::string_view name;
  std::string_view parameters;
  Tensor (*apply)(Machine& machine, const Tensor& x, const Arguments& arguments);
};

std::span<const OperatorRule> operator_rules();
/// Further rows (general_rules.cpp); `find_operator` looks in both.
std::span<const OperatorRule> general_rules();
const OperatorRule* find_operator(std::string_view name);

}  // namespace gpulint::model
