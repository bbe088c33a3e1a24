#include "model/ops.h"

// LSTM and GRU as cuDNN runs them: one operator that keeps its input, its output and an opaque
// reserve. The reserve holds what a step-by-step backward needs; its size is documented nowhere, so
// it is taken as the tensors a decomposed cell keeps beyond its output: for an LSTM four gates, the
// cell state and its tanh; for a GRU three gates, the candidate's hidden part and the old state.
// Known error: cuDNN pads and reorders, and may keep a few per cent more.

namespace gpulint::model {

namespace {

constexpr std::int64_t kLstmReserve = 6;  // values per hidden unit and step
constexpr std::int64_t kGruReserve = 5;

std::int64_t gates_of(RecurrentCell cell) { return cell == RecurrentCell::lstm ? 4 : 3; }

/// One layer in all its directions.
Tensor recur_once(Tape& tape, const Tensor& x, const Recurrent& r) {
  const std::int64_t directions = r.bidirectional ? 2 : 1;
  const std::int64_t gates = saturating_multiply(gates_of(r.cell), r.hidden);
  std::vector<Tensor> read{lower(tape, x)};
  double weights = 0;
  for (std::int64_t direction = 0; direction < directions; ++direction) {
    for (const Dims& sizes : {Dims{gates, x.size(-1)}, Dims{gates, r.hidden}}) {
      read.push_back(lower(tape, tape.parameter(sizes)));
      weights += static_cast<double>(element_count(sizes));
    }
    read.push_back(lower(tape, tape.parameter({gates})));
    read.push_back(lower(tape, tape.parameter({gates})));
  }
  OperatorScope op(tape, r.cell == RecurrentCell::lstm ? OperatorKind::lstm : OperatorKind::gru,
                   read);
  const double steps = static_cast<double>(saturating_multiply(x.size(0), x.size(1)));
  op.flops(2 * steps * weights, 4 * steps * weights);
  op.product({x.size(0), gates, r.hidden, saturating_multiply(x.size(1), directions)});
  for (const Tensor& tensor : read) op.save(tensor);
  const std::int64_t width = saturating_multiply(directions, r.hidden);
  const Tensor y = op.output({x.size(0), x.size(1), width}, read.front().dtype);
  op.save(y);
  const std::int64_t reserve = r.cell == RecurrentCell::lstm ? kLstmReserve : kGruReserve;
  op.save_new({x.size(0), x.size(1), saturating_multiply(reserve, width)}, y.dtype);
  return y;
}

}  // namespace

Tensor recur(Tape& tape, const Tensor& x, const Recurrent& r) {
  if (x.rank() != 3 || r.hidden < 1 || r.layers < 1) {
    tape.refuse("a recurrent layer of " + std::to_string(r.hidden) +
                " units cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  Tensor y = x;
  for (std::int64_t layer = 0; layer < r.layers && !tape.refused(); ++layer) {
    y = recur_once(tape, y, r);
    if (layer + 1 < r.layers) y = dropout(tape, y, r.dropout, DropoutKind::elements, false);
  }
  return y;
}

}  // namespace gpulint::model
