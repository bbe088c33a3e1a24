#include "model/ops.h"

#include <utility>

// Scaled dot-product attention in the forms that decide whether memory grows with the square of
// the sequence: written out by the model (explicit_math), the framework's math fallback, and the
// fused kernels, which keep q, k, v, the output and one fp32 logsumexp per query.

namespace gpulint::model {

namespace {

/// Part of the scores a fused kernel computes: under a causal mask the tiles on and below the
/// diagonal. FlashAttention-2's tiles are 128 queries high.
double computed_share(const Tensor& q, const Tensor& k, bool causal) {
  constexpr double kTile = 128;
  const auto length = static_cast<double>(q.size(-2));
  if (!causal || q.size(-2) != k.size(-2) || length <= kTile) return 1;
  return (length + kTile) / (2 * length);
}

Tensor fused(Tape& tape, const Tensor& query, const Tensor& key, const Tensor& value, bool causal) {
  const Tensor q = lower(tape, query);
  const Tensor k = lower(tape, key);
  const Tensor v = lower(tape, value);
  OperatorScope op(tape, OperatorKind::sdpa, {&q, &k, &v});
  const double scores = computed_share(q, k, causal) * 2 * static_cast<double>(q.elements()) *
                        static_cast<double>(k.size(-2));
  op.flops(2 * scores, 5 * scores);  // the backward recomputes the scores
  Dims heads = q.sizes;
  heads[q.rank() - 1] = heads[q.rank() - 2] = 1;
  op.product({q.size(-2), k.size(-2), q.size(-1), element_count(heads)});
  // Kernels write [batch, tokens, heads, dimension]; the caller sees it transposed.
  const bool batched = q.rank() == 4;
  Dims sizes = q.sizes;
  sizes[sizes.size() - 1] = v.size(-1);
  if (batched) std::swap(sizes[1], sizes[2]);
  Tensor out = op.output(sizes, q.dtype);
  if (batched) out = transposed(out, 1, 2);
  op.save(q);
  op.save(k);
  op.save(v);
  op.save(out);
  Dims rows = q.sizes;
  rows.erase(rows.size() - 1);
  op.save_new(rows, DType::fp32);
  return out;
}

Tensor written_out(Tape& tape, const Tensor& query, const Tensor& k, const Tensor& v,
                   const AttentionOptions& options) {
  const Tensor q = options.scale_query ? scale(tape, query) : query;
  Tensor scores = matmul(tape, q, transposed(k, -2, -1));
  if (!options.scale_query) scores = scale(tape, scores);
  if (options.softcap) {
    scores = scale(tape, activate(tape, scale(tape, scores), Activation::tanh));
  }
  if (options.mask.known()) scores = add(tape, scores, options.mask);
  if (options.fill_mask) {
    const Dims square{1, 1, scores.size(-2), scores.size(-1)};
    const Tensor mask = tape.create(square, DType::boolean, StorageKind::activation, false);
    scores = mask_fill(tape, scores, mask);
  }
  Tensor weights = softmax(tape, scores, options.softmax_fp32);
  if (options.softmax_fp32) weights = cast(tape, weights, q.dtype);
  weights = dropout(tape, weights, options.dropout, DropoutKind::elements, false);
  return matmul(tape, weights, v);
}

/// Autocast casts what the operator reads; inside the fallback, which computes half-precision
/// inputs in fp32, it is off.
Tensor math_fallback(Tape& tape, const Tensor& q, const Tensor& k, const Tensor& v,
                     AttentionOptions options) {
  options.softmax_fp32 = false;
  options.scale_query = true;
  const AutocastSuspended off(tape);
  const Tensor wide_q = cast(tape, q, DType::fp32);
  const Tensor wide_k = cast(tape, k, DType::fp32);
  const Tensor wide_v = cast(tape, v, DType::fp32);
  return cast(tape, written_out(tape, wide_q, wide_k, wide_v, options), q.dtype);
}

}  // namespace

Tensor softmax(Tape& tape, const Tensor& input, bool to_fp32) {
  Tensor x = raise(tape, input);
  OperatorScope op(tape, OperatorKind::softmax, {&x});
  op.flops(5 * static_cast<double>(x.elements()), 4 * static_cast<double>(x.elements()));
  const Tensor y = op.output(x.sizes, to_fp32 ? DType::fp32 : x.dtype);
  op.save(y);
  if (tape.options().softmax_keeps_input) op.save(x);
  return y;
}

Tensor attend(Tape& tape, const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionOptions& options) {
  if (q.rank() < 3 || q.rank() != k.rank() || k.rank() != v.rank() || q.size(-1) != k.size(-1) ||
      k.size(-2) != v.size(-2)) {
    tape.refuse("attention cannot combine q of " + to_string(q.sizes) + ", k of " +
                to_string(k.sizes) + " and v of " + to_string(v.sizes));
    return q;
  }
  switch (options.backend) {
    case AttentionBackend::memory_efficient:
    case AttentionBackend::sdpa:
      if (options.softcap) return written_out(tape, q, k, v, options);
      [[fallthrough]];
    case AttentionBackend::flash:
      return fused(tape, q, k, v, options.causal);
    case AttentionBackend::explicit_math:
      return written_out(tape, q, k, v, options);
    case AttentionBackend::sdpa_math: {
      return math_fallback(tape, lower(tape, q), lower(tape, k), lower(tape, v), options);
    }
  }
  return q;
}

}  // namespace gpulint::model
