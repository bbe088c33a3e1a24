#include "model/convolutional.h"

#include "model/interpreter.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gpulint::model {
namespace {

bool is_convolution(const Operator& op) {
  return op.kind == OperatorKind::conv || op.kind == OperatorKind::conv_transpose;
}

/// Looks at one position at a time, unless it is a convolution with overlapping windows.
bool is_per_position(const Operator& op) {
  return op.kind == OperatorKind::linear || op.kind == OperatorKind::grouped_linear ||
         (is_convolution(op) && !op.windows_overlap);
}

bool mixes_otherwise(const Operator& op) {
  constexpr std::array kKinds = {OperatorKind::matmul, OperatorKind::sdpa, OperatorKind::lstm,
                                 OperatorKind::gru};
  return std::find(kKinds.begin(), kKinds.end(), op.kind) != kKinds.end();
}

bool has_convolution(const std::vector<Statement>& statements, const OperatorRule* convolution) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return statement.operation == convolution ||
           std::any_of(statement.bodies.begin(), statement.bodies.end(),
                       [&](const auto& body) { return has_convolution(body, convolution); });
  });
}

bool has_convolution(const Program& program) {
  const OperatorRule* convolution = find_operator("conv");
  return has_convolution(program.statements, convolution) ||
         std::any_of(program.definitions.begin(), program.definitions.end(),
                     [&](const Definition& d) { return has_convolution(d.body, convolution); });
}

}  // namespace

double convolution_share(const Tape& tape) {
  double all = 0;
  double of_convolutions = 0;
  bool mixed_by_convolution = false;
  for (std::size_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    if (mixes_otherwise(op)) {
      mixed_by_convolution = false;
    } else if (is_convolution(op) && op.windows_overlap) {
      mixed_by_convolution = true;
    } else if (!is_per_position(op)) {
      continue;
    }
    const double flops = op.forward.value * static_cast<double>(tape.times_of_operator(i));
    all += flops;
    if (mixed_by_convolution) of_convolutions += flops;
  }
  return all > 0 ? of_convolutions / all : 0;
}

std::optional<bool> is_convolutional(const Program& program,
                                     std::map<std::string, expr::Value> dimensions) {
  if (!has_convolution(program)) return false;
  dimensions.insert_or_assign("batch", std::int64_t{1});
  const Result<Tape> tape = run_program(program, dimensions, {}, {}, Iterations::folded);
  if (!tape) return std::nullopt;
  return convolution_share(*tape) >= 0.5;
}

}  // namespace gpulint::model
