// A stack machine over the bound post-order array. Values of unknown facts are Unknown and pass
// through every operation but the lazy ones.

#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/expression.h"
#include "expr/operation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace gpulint::expr {
namespace {

void note_once(std::vector<std::uint32_t>& list, std::uint32_t index) {
  if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
}

class Machine {
 public:
  Machine(const Environment& environment, std::span<const Value> constants, Value* stack,
          Trace* trace)
      : environment_(environment), constants_(constants), top_(stack), trace_(trace) {}

  Value run(std::span<const Operation> operations) {
    for (std::size_t at = 0; at < operations.size();) at += step(operations[at]);
    return std::move(*--top_);
  }
  bool holds(std::span<const Operation> operations) {
    for (std::size_t at = 0; at < operations.size();) {
      const bool is_lost = operations[at].code == Opcode::and_test && !top().known();
      if (is_lost && decides(operations, at)) return false;
      at += step(operations[at]);
    }
    return (--top_)->is_true();
  }

 private:
  /// Does a false side at this test make the whole false?
  static bool decides(std::span<const Operation> operations, std::size_t at) {
    while (at < operations.size() && operations[at].code == Opcode::and_test) {
      at += operations[at].index;
    }
    return at == operations.size();
  }

  /// Runs one operation; returns how far to move.
  std::size_t step(const Operation& operation);
  void push(Value value) { *top_++ = std::move(value); }
  Value& top() { return top_[-1]; }
  void symbol(std::uint32_t index);
  void about(const Operation& operation);
  void function(const Operation& operation);
  void builtin(const Operation& operation);
  void list(std::size_t count);
  void unary(Opcode code);
  void binary(Opcode code);
  void in_constant(const Value& list);
  void logic(bool deciding);
  std::size_t branch(std::size_t else_part);
  void finish(std::size_t count, Value result);

  const Environment& environment_;
  std::span<const Value> constants_;
  Value* top_;  // behind the uppermost value
  Trace* trace_;
};

std::size_t Machine::step(const Operation& operation) {
  switch (operation.code) {
    case Opcode::constant:
      push(constants_[operation.index]);
      return 1;
    case Opcode::symbol:
      symbol(operation.index);
      return 1;
    case Opcode::function:
      function(operation);
      return 1;
    case Opcode::builtin:
      builtin(operation);
      return 1;
    case Opcode::about:
      about(operation);
      return 1;
    case Opcode::list:
      list(operation.count);
      return 1;
    case Opcode::negate:
    case Opcode::logical_not:
      unary(operation.code);
      return 1;
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::floor_divide:
    case Opcode::modulo:
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
    case Opcode::in:
    case Opcode::element:
      binary(operation.code);
      return 1;
    case Opcode::in_constant:
      in_constant(constants_[operation.index]);
      return 1;
    case Opcode::and_test:
      return top().known() && !top().is_true() ? operation.index : 1;
    case Opcode::or_test:
      return top().is_true() ? operation.index : 1;
    case Opcode::and_join:
      logic(false);
      return 1;
    case Opcode::or_join:
      logic(true);
      return 1;
    case Opcode::fallback_test:
      if (top().known() || top().is_unreadable()) return operation.index;
      --top_;
      return 1;
    case Opcode::branch:
      return branch(operation.index);
    case Opcode::jump:
      return operation.index;
    case Opcode::fallback_join:
    case Opcode::branch_join:
      return 1;
  }
  return 1;
}

void Machine::symbol(std::uint32_t index) {
  push(finite(environment_.symbol(index)));
  if (trace_ == nullptr) return;
  note_once(trace_->read, index);
  if (!top().known()) note_once(trace_->unknown, index);
}

void Machine::about(const Operation& operation) {
  const std::uint32_t index = operation.index;
  switch (static_cast<About>(operation.count)) {
    case About::stated:
      push(environment_.stated(index));
      break;
    case About::taken:
      push(environment_.taken(index));
      break;
    case About::explained:
      push(environment_.explained(index));
      break;
  }
  if (trace_ == nullptr) return;
  note_once(trace_->read, index);
  if (!environment_.symbol(index).known()) note_once(trace_->unknown, index);
}

void Machine::function(const Operation& operation) {
  const std::span<const Value> arguments{top_ - operation.count, operation.count};
  const bool known = std::all_of(arguments.begin(), arguments.end(),
                                 [](const Value& value) { return value.known(); });
  Value result = known ? finite(environment_.call(operation.index, arguments)) : Value{};
  if (known && !result.known() && trace_ != nullptr) {
    note_once(trace_->unknown_functions, operation.index);
  }
  finish(operation.count, std::move(result));
}

void Machine::builtin(const Operation& operation) {
  const std::span<const Value> arguments{top_ - operation.count, operation.count};
  finish(operation.count, call_builtin(static_cast<Builtin>(operation.index), arguments));
}

void Machine::list(std::size_t count) {
  List made{std::make_move_iterator(top_ - count), std::make_move_iterator(top_)};
  finish(count, Value{std::move(made)});
}

/// Replaces the uppermost `count` values by `result`.
void Machine::finish(std::size_t count, Value result) {
  top_ -= count;
  push(std::move(result));
}

void Machine::unary(Opcode code) {
  if (!top().known()) return;
  top() = code == Opcode::negate ? negated(top()) : Value{!top().is_true()};
}

void Machine::binary(Opcode code) {
  const Value& right = *--top_;
  Value& left = top();
  if (!left.known() || !right.known()) {
    left = Value{};
    return;
  }
  switch (code) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::floor_divide:
    case Opcode::modulo:
      left = arithmetic(code, left, right);
      return;
    case Opcode::in: {
      const List* elements = std::get_if<List>(&right.data);
      left = elements == nullptr ? Value{} : contained(left, *elements);
      return;
    }
    case Opcode::element:
      left = element_of(left, right);
      return;
    default:
      left = compared(code, left, right);
      return;
  }
}

void Machine::in_constant(const Value& list) {
  const List* elements = std::get_if<List>(&list.data);
  if (top().known()) top() = elements == nullptr ? Value{} : contained(top(), *elements);
}

/// `deciding`: the value that decides alone (true for `or`). The left side did not decide.
void Machine::logic(bool deciding) {
  const Value& right = *--top_;
  if (right.known() && (right.is_true() == deciding || top().known())) {
    top() = right.is_true();
  } else {
    top() = Value{};
  }
}

std::size_t Machine::branch(std::size_t else_part) {
  const Value condition = std::move(*--top_);
  if (condition.is_true()) return 1;
  if (condition.known()) return else_part;
  push(Value{});
  return else_part - 1;  // the jump behind the first value, which skips the other one
}

/// The value where all that is read and made on the way is a whole number, as of tensors' sizes,
/// which are worked out by the thousand; nullopt elsewhere.
std::optional<std::int64_t> whole_value(const Environment& environment,
                                        std::span<const Value> constants,
                                        std::span<const Operation> operations) {
  std::array<std::int64_t, 4> stack{};
  std::size_t depth = 0;
  for (const Operation& operation : operations) {
    if (operation.code == Opcode::constant || operation.code == Opcode::symbol) {
      const bool is_symbol = operation.code == Opcode::symbol;
      const Value value =
          is_symbol ? environment.symbol(operation.index) : constants[operation.index];
      const std::int64_t* number = std::get_if<std::int64_t>(&value.data);
      if (number == nullptr || depth == stack.size()) return std::nullopt;
      stack[depth++] = *number;
      continue;
    }
    if (depth < 2) return std::nullopt;
    const std::int64_t right = stack[--depth];
    const auto result = whole_arithmetic(operation.code, stack[depth - 1], right);
    if (!result) return std::nullopt;
    stack[depth - 1] = *result;
  }
  return stack[0];
}

/// What `run` makes of a stack of that depth.
template <class Run>
auto with_stack(std::size_t depth, const Run& run) {
  constexpr std::size_t kInline = 8;
  if (depth <= kInline) {
    std::array<Value, kInline> stack;
    return run(stack.data());
  }
  std::vector<Value> stack(depth);
  return run(stack.data());
}

}  // namespace

Value Expression::evaluate(const Environment& environment, Trace* trace) const {
  if (stack_depth_ == 0) return {};  // not bound
  if (trace == nullptr) {
    if (const auto whole = whole_value(environment, constants_, operations_)) return *whole;
  }
  return with_stack(stack_depth_, [&](Value* stack) {
    return Machine{environment, constants_, stack, trace}.run(operations_);
  });
}

bool Expression::holds(const Environment& environment) const {
  if (stack_depth_ == 0) return false;
  return with_stack(stack_depth_, [&](Value* stack) {
    return Machine{environment, constants_, stack, nullptr}.holds(operations_);
  });
}

}  // namespace gpulint::expr
