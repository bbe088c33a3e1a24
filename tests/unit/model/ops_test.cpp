#include "model/ops.h"

#include <doctest/doctest.h>

namespace ops_test {

using namespace gpulint;
using namespace gpulint::model;

namespace {

Tape fp32() { return Tape(TapeOptions{}); }

Tape autocast() {
  TapeOptions options;
  options.precision.autocast = DType::bf16;
  return Tape(options);
}

Tensor activation(Tape& tape, const Dims& sizes, DType dtype = DType::fp32) {
  return tape.create(sizes, dtype, StorageKind::activation, true);
}

std::int64_t saved(const Tape& tape) { return tape.saved_bytes(StorageKind::activation); }

}  // namespace

TEST_CASE("a view shares its storage and a transposed reshape copies") {
  Tape tape = fp32();
  const Tensor x = activation(tape, {2, 4, 8});
  CHECK(reshape(tape, x, {8, 8}).storage == x.storage);
  const Tensor turned = permute(tape, x, {1, 0, 2});
  CHECK(turned.storage == x.storage);
  CHECK(reshape(tape, turned, {8, 8}).storage != x.storage);
  CHECK(tape.operators().size() == 1);
}

TEST_CASE("relu in place keeps its result in the storage of its input") {
  Tape tape = fp32();
  const Tensor x = activation(tape, {4, 8});
  activate(tape, x, Activation::relu, true);
  CHECK(saved(tape) == 128);
  CHECK(tape.storages().size() == 1);
}

TEST_CASE("before PyTorch 1.10 a relu keeps what it read, unless it is in place") {
  TapeOptions options;
  options.relu_keeps_input = true;
  Tape apart(options);
  const Tensor x = activation(apart, {8, 16});
  const Tensor y = activate(apart, x, Activation::relu, false);
  activate(apart, y, Activation::relu, true);
  CHECK(apart.saved_bytes(StorageKind::activation) == x.bytes() + y.bytes());
  Tape today{TapeOptions{}};
  const Tensor z = activate(today, activation(today, {8, 16}), Activation::relu, false);
  activate(today, z, Activation::relu, true);
  CHECK(today.saved_bytes(StorageKind::activation) == z.bytes());
}

TEST_CASE("before PyTorch 1.10 a relu6 in place keeps its result") {
  TapeOptions options;
  options.relu_keeps_input = true;
  Tape tape(options);
  const Tensor x = activation(tape, {4, 8});
  activate(tape, x, Activation::relu6, true);
  CHECK(saved(tape) == 128);
  CHECK(tape.storages().size() == 1);
}

TEST_CASE("relu6 in place keeps a clone and saves no memory") {
  Tape tape = fp32();
  const Tensor x = activation(tape, {4, 8});
  activate(tape, x, Activation::relu6, true);
  CHECK(saved(tape) == 128);
  CHECK(tape.storages().size() == 2);
}

TEST_CASE("autocast leaves an instance norm in half precision and raises a group norm") {
  Tape instance = autocast();
  const Tensor x = activation(instance, {2, 4, 8, 8}, DType::bf16);
  CHECK(instance_norm(instance, x, false).dtype == DType::bf16);
  CHECK(saved(instance) == x.bytes() + 2 * 2 * 4 * 4);  // and a mean and a deviation per channel
  Tape group = autocast();
  const Tensor y = activation(group, {2, 4, 8, 8}, DType::bf16);
  CHECK(group_norm(group, y, 4, false).dtype == DType::fp32);
  CHECK(saved(group) == 2 * y.bytes() + 2 * 2 * 4 * 4);
}

TEST_CASE("dropout keeps one byte per element, in place four") {
  Tape out_of_place = fp32();
  dropout(out_of_place, activation(out_of_place, {4, 8}), 0.5, DropoutKind::elements, false);
  CHECK(saved(out_of_place) == 32);
  Tape in_place = fp32();
  dropout(in_place, activation(in_place, {4, 8}), 0.5, DropoutKind::elements, true);
  CHECK(saved(in_place) == 128);
}

TEST_CASE("max pooling keeps its input and eight bytes per output element") {
  Tape tape = fp32();
  Pool pool{.kernel = {2, 2}, .stride = {2, 2}, .padding = {0, 0}, .dilation = {1, 1}};
  max_pool(tape, activation(tape, {2, 8, 16, 16}), pool);
  CHECK(saved(tape) == 16384 + 8192);
}

TEST_CASE("the composed gelu keeps four tensors where the fused one keeps one") {
  Tape composed = fp32();
  activate(composed, activation(composed, {4, 8}), Activation::gelu_new);
  CHECK(saved(composed) == 512);
  Tape fused = fp32();
  activate(fused, activation(fused, {4, 8}), Activation::gelu);
  CHECK(saved(fused) == 128);
}

TEST_CASE("under autocast every linear layer keeps its own half-precision copy of its input") {
  Tape tape = autocast();
  const Tensor x = activation(tape, {4, 8});
  const Tensor weight = tape.parameter({8, 8});
  linear(tape, x, weight, {});
  linear(tape, x, weight, {});
  CHECK(saved(tape) == 2 * 4 * 8 * 2);
  CHECK(tape.saved_bytes(StorageKind::weight_cast) == 8 * 8 * 2);
}

TEST_CASE("a frozen linear layer keeps its weight but not its input") {
  TapeOptions options;
  options.trained = {"adapter"};
  Tape tape(options);
  const Tensor x = activation(tape, {4, 8});
  linear(tape, x, tape.parameter({8, 8}), {});
  CHECK(saved(tape) == 0);
  CHECK(tape.saved_bytes(StorageKind::parameter) == 256);
}

TEST_CASE("flash attention grows with the sequence, written-out attention with its square") {
  const auto bytes = [](AttentionBackend backend, std::int64_t tokens) {
    Tape tape = fp32();
    const Tensor q = activation(tape, {1, 2, tokens, 4});
    attend(tape, q, activation(tape, {1, 2, tokens, 4}), activation(tape, {1, 2, tokens, 4}),
           {.backend = backend});
    return saved(tape);
  };
  // q, k, v and the output of 4 bytes x 2 heads x 4 wide, and one fp32 logsumexp per head and query
  CHECK(bytes(AttentionBackend::flash, 64) == 64 * (4 * 32 + 8));
  CHECK(bytes(AttentionBackend::flash, 128) == 2 * bytes(AttentionBackend::flash, 64));
  // q, k, v and the softmax
  CHECK(bytes(AttentionBackend::explicit_math, 64) == 64 * 3 * 32 + 2 * 64 * 64 * 4);
}

TEST_CASE("under a causal mask a fused kernel computes the tiles on and below the diagonal") {
  const auto work = [](AttentionBackend backend, std::int64_t tokens, bool causal) {
    Tape tape = fp32();
    const Tensor q = activation(tape, {1, 2, tokens, 4});
    attend(tape, q, activation(tape, {1, 2, tokens, 4}), activation(tape, {1, 2, tokens, 4}),
           {.backend = backend, .causal = causal});
    double sum = 0;
    for (const Operator& op : tape.operators()) sum += op.forward.value;
    return sum;
  };
  // two products of 2 heads x 1024 x 1024 x 4, of which 36 of 64 tiles of 128 x 128 are left
  CHECK(work(AttentionBackend::flash, 1024, false) == 2.0 * 2 * 2 * 1024 * 1024 * 4);
  CHECK(work(AttentionBackend::flash, 1024, true) == 2.0 * 2 * 2 * 1024 * 1024 * 4 * 36 / 64);
  CHECK(work(AttentionBackend::flash, 128, true) == work(AttentionBackend::flash, 128, false));
  CHECK(work(AttentionBackend::explicit_math, 1024, true) ==
        work(AttentionBackend::explicit_math, 1024, false));
}

TEST_CASE("a next-token loss copies logits and labels once there are two sequences") {
  const auto bytes = [](std::int64_t batch) {
    Tape tape = fp32();
    cross_entropy(tape, activation(tape, {batch, 5, 10}), {.shift = true});
    return saved(tape);
  };
  CHECK(bytes(1) == 4 * 10 * 4 + 4);
  CHECK(bytes(2) == 2 * 4 * 10 * 4 + 4 + 2 * 4 * 8);
}

TEST_CASE("operands that do not fit are refused with their sizes") {
  Tape tape = fp32();
  matmul(tape, activation(tape, {2, 3}), activation(tape, {4, 5}));
  CHECK(tape.error() == "cannot multiply matrices of [2, 3] and [4, 5]");
  Tape conv = fp32();
  convolve(conv, activation(conv, {1, 6, 8, 8}),
           {.out = 8,
            .kernel = {3, 3},
            .stride = {1, 1},
            .padding = {1, 1},
            .dilation = {1, 1},
            .output_padding = {0, 0},
            .groups = 4});
  CHECK(conv.error() == "groups: 4 does not divide the 6 input and 8 output channels");
}

}  // namespace ops_test
