// A layer of experts. Tokens are copied into one run of rows per expert, multiplied with that
// expert's weights, and added back. Which expert takes how many rows depends on the data, their sum
// does not, so one grouped product over all rows stands for a loop over experts: both keep the same
// tensors. Capacity limits and padding are not modelled.

#include "model/ops_moe.h"

#include "model/ops.h"

namespace gpulint::model {

namespace {

/// Frozen experts of a quantized base, unpacked to 16 bits for the product; nothing is kept of
/// them.
Tensor quantized_product(Tape& tape, const Tensor& rows, const Tensor& weight,
                         const Tensor& offset) {
  const DType compute = tape.options().precision.autocast.value_or(DType::bf16);
  const Tensor x = cast(tape, rows, compute);
  const Tensor b = cast(tape, offset, compute);
  Tensor y;
  {
    OperatorScope op(tape, OperatorKind::linear, {&x, &b});
    op.keep_alive(weight);
    const double forward =
        2 * static_cast<double>(x.elements()) * static_cast<double>(weight.size(1));
    op.flops(forward, forward);
    op.scratch(weight.sizes, compute);
    y = op.output({rows.size(0), weight.size(1)}, compute);
  }
  return cast(tape, y, rows.dtype);
}

/// rows[n, in] with weight [experts, out, in]: each row meets one expert.
Tensor grouped_product(Tape& tape, const Tensor& rows, const Tensor& weight, const Tensor& offset) {
  if (tape.options().quantized.enabled && !weight.requires_grad) {
    return quantized_product(tape, rows, weight, offset);
  }
  const std::int64_t out = weight.size(1);
  const Tensor x = lower(tape, rows);
  const Tensor w = lower(tape, weight);
  const Tensor b = lower(tape, offset);
  OperatorScope op(tape, OperatorKind::linear, {&x, &w, &b});
  const double forward = 2 * static_cast<double>(x.elements()) * static_cast<double>(out);
  op.flops(forward, forward * ((x.requires_grad ? 1 : 0) + (w.requires_grad ? 1 : 0)));
  if (w.requires_grad) op.save(x);
  if (x.requires_grad) op.save(w);
  return op.output({rows.size(0), out}, x.dtype);
}

/// Two narrow factors for every expert.
Tensor grouped_update(Tape& tape, const Tensor& rows, std::int64_t count, std::int64_t out,
                      std::int64_t rank) {
  tape.enter_section(kAdapterSection);
  const Tensor down = tape.expert_parameter({count, rank, rows.size(-1)});
  const Tensor up = tape.expert_parameter({count, out, rank});
  tape.leave_section();
  const Tensor small = grouped_product(tape, cast(tape, rows, down.dtype), down, {});
  return scale(tape, grouped_product(tape, small, up, {}));
}

Tensor grouped_linear(Tape& tape, const Tensor& rows, std::int64_t count, std::int64_t out,
                      const Experts& experts) {
  const Tensor weight = tape.expert_parameter({count, out, rows.size(-1)});
  const Tensor offset = experts.bias ? tape.expert_parameter({count, out}) : Tensor{};
  const Tensor y = grouped_product(tape, rows, weight, offset);
  if (experts.adapter_rank <= 0) return y;
  const Tensor update = grouped_update(tape, rows, count, out, experts.adapter_rank);
  return cast(tape, add(tape, y, update), y.dtype);
}

/// Probabilities of the chosen experts, [tokens, top_k], which sum to one per token.
Tensor choose(Tape& tape, const Tensor& router, std::int64_t top_k) {
  Tensor chosen;
  {
    OperatorScope op(tape, OperatorKind::topk, {&router});
    op.save_new({router.size(0), top_k}, DType::int64);
    chosen = op.output({router.size(0), top_k}, router.dtype);
  }
  const Tensor sum = mean(tape, chosen, {1}, true);
  return divide(tape, chosen, sum);
}

/// [tokens, n] -> [rows, n].
Tensor copy_rows(Tape& tape, const Tensor& tokens, std::int64_t rows) {
  OperatorScope op(tape, OperatorKind::gather_rows, {&tokens});
  op.save_new({rows}, DType::int64);
  return op.output({rows, tokens.size(-1)}, tokens.dtype);
}

/// [rows, n] -> [tokens, n]. The sum keeps what it added, though only for its shape.
Tensor add_rows(Tape& tape, const Tensor& rows, std::int64_t tokens) {
  OperatorScope op(tape, OperatorKind::index_add, {&rows});
  op.save_new({rows.size(0)}, DType::int64);
  op.save(rows);
  return op.output({tokens, rows.size(-1)}, rows.dtype);
}

}  // namespace

Tensor mixture_of_experts(Tape& tape, const Tensor& x, const Tensor& router,
                          const Experts& experts) {
  const std::int64_t count = router.rank() == 0 ? 0 : router.size(-1);
  if (x.rank() < 2 || experts.top_k < 1 || experts.top_k > count || experts.intermediate < 1) {
    tape.refuse("top_k: " + std::to_string(experts.top_k) + " of " + std::to_string(count) +
                " experts of width " + std::to_string(experts.intermediate) +
                " cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  const Tensor tokens = reshape(tape, x, {-1, x.size(-1)});
  const Tensor probabilities = reshape(tape, router, {-1, count});
  if (tape.refused()) return x;
  Tensor weights = cast(tape, choose(tape, probabilities, experts.top_k), tokens.dtype);
  const std::int64_t rows = saturating_multiply(tokens.size(0), experts.top_k);
  const Tensor gathered = copy_rows(tape, tokens, rows);
  const Tensor gate = activate(
      tape, grouped_linear(tape, gathered, count, experts.intermediate, experts), Activation::silu);
  const Tensor up = grouped_linear(tape, gathered, count, experts.intermediate, experts);
  const Tensor product = multiply(tape, gate, up);
  const Tensor out = grouped_linear(tape, product, count, x.size(-1), experts);
  weights = reshape(tape, weights, {rows, 1});
  const Tensor weighted = multiply(tape, out, weights);
  return reshape(tape, add_rows(tape, weighted, tokens.size(0)), x.sizes);
}

}  // namespace gpulint::model
