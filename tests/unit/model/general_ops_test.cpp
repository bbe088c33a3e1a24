#include "model/interpreter.h"
#include "model/ops.h"
#include "model/ops_general.h"
#include "model/timeline.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Tensor activation(Tape& tape, const Dims& sizes, DType dtype = DType::fp32) {
  return tape.create(sizes, dtype, StorageKind::activation, true);
}

std::int64_t saved(const Tape& tape) { return tape.saved_bytes(StorageKind::activation); }

/// Bytes kept by one reduction of [4, 8] over its last dimension.
std::int64_t kept_by(Reduction kind) {
  Tape tape{TapeOptions{}};
  reduce(tape, activation(tape, {4, 8}), kind, {-1}, false);
  return saved(tape);
}

Tape half_autocast() {
  TapeOptions options;
  options.precision.autocast = DType::fp16;
  return Tape(options);
}

}  // namespace

TEST_CASE("a sum keeps nothing, a variance its input, a deviation its result too") {
  CHECK(kept_by(Reduction::sum) == 0);
  CHECK(kept_by(Reduction::variance) == 128);
  CHECK(kept_by(Reduction::deviation) == 144);
  CHECK(kept_by(Reduction::norm) == 144);
  CHECK(kept_by(Reduction::largest) == 144);
}

TEST_CASE("a maximum along a dimension keeps eight bytes per result, where it was") {
  CHECK(kept_by(Reduction::position) == 32);
}

TEST_CASE("autocast sums half precision into fp32") {
  Tape tape = half_autocast();
  const Tensor x = activation(tape, {4, 8}, DType::fp16);
  CHECK(reduce(tape, x, Reduction::sum, {1}, true).dtype == DType::fp32);
  CHECK(reduce(tape, x, Reduction::variance, {1}, true).dtype == DType::fp16);
  CHECK(tape.operators().size() == 2);  // the input was not cast
}

TEST_CASE("a reduction over a dimension that is not there is refused") {
  Tape tape{TapeOptions{}};
  reduce(tape, activation(tape, {4, 8}), Reduction::sum, {2}, false);
  CHECK(tape.error() == "there is no dimension 2 in [4, 8]");
}

TEST_CASE("operators on tensors that they are not made for are refused, and overstep nothing") {
  Tape tape{TapeOptions{}};
  const Tensor scalar = activation(tape, {});
  CHECK(rms_norm(tape, scalar, RmsNormForm::fused).rank() == 0);
  CHECK(tape.refused());
  Dims sizes{2, 3};
  sizes.erase(7);
  sizes.insert(9, 1);
  CHECK(sizes == Dims{2, 3});
  for (int i = 0; i < 20; ++i) sizes.insert(0, 1);
  CHECK(sizes.size() == kMaxRank);
}

TEST_CASE("multiplying in place keeps a clone of what it overwrites, where the factor learns") {
  Tape tape{TapeOptions{}};
  const Tensor a = activation(tape, {4, 8});
  const Tensor b = activation(tape, {4, 8});
  const Tensor y = multiply(tape, a, b, true);
  CHECK(y.storage == a.storage);
  CHECK(saved(tape) == 256);  // the clone and the factor
  Tape fixed{TapeOptions{}};
  const Tensor mask = fixed.create({4, 8}, DType::fp32, StorageKind::activation, false);
  multiply(fixed, activation(fixed, {4, 8}), mask, true);
  CHECK(saved(fixed) == 128);  // the mask
}

TEST_CASE("dividing in place keeps as much as dividing") {
  const auto kept = [](bool inplace) {
    Tape tape{TapeOptions{}};
    const Tensor a = activation(tape, {4, 8});
    divide(tape, a, activation(tape, {4, 1}), inplace);
    return saved(tape);
  };
  CHECK(kept(false) == 144);
  CHECK(kept(true) == 144);
}

TEST_CASE("autocast multiplies and adds in the widest dtype and keeps the widened copy") {
  Tape tape = half_autocast();
  const Tensor x = activation(tape, {4, 8}, DType::fp16);
  const Tensor alpha = tape.parameter({8});
  const Tensor beta = tape.parameter({8});
  CHECK(multiply_add(tape, x, alpha, beta).dtype == DType::fp32);
  CHECK(saved(tape) == 4 * 8 * 4);
}

TEST_CASE("windows look at the tensor, and reshaping them copies what overlaps") {
  Tape tape{TapeOptions{}};
  const Tensor x = activation(tape, {2, 8});
  const Tensor cut = windows(tape, x, 1, 4, 2);
  CHECK(cut.sizes == Dims{2, 3, 4});
  CHECK(cut.storage == x.storage);
  const Tensor flat = reshape(tape, cut, {2, 12});
  CHECK(flat.storage != x.storage);
  CHECK(flat.bytes() == 96);
  windows(tape, x, 1, 9, 1);
  CHECK(tape.error() == "windows of 9 along dimension 1 do not fit a tensor of [2, 8]");
}

TEST_CASE("a slice with a step is a view of every second element") {
  Tape tape{TapeOptions{}};
  const Tensor x = activation(tape, {2, 8});
  const Tensor half = strided(tape, x, 1, 4, 2);
  CHECK(half.sizes == Dims{2, 4});
  CHECK(half.storage == x.storage);
  CHECK(!is_contiguous(half));
  strided(tape, x, 1, 5, 2);
  CHECK(tape.refused());
}

TEST_CASE("dimensions of one come and go without a copy") {
  Tape tape{TapeOptions{}};
  const Tensor x = activation(tape, {2, 8});
  const Tensor wide = unsqueeze(tape, x, -1);
  CHECK(wide.sizes == Dims{2, 8, 1});
  CHECK(squeeze(tape, wide, 2).sizes == Dims{2, 8});
  CHECK(squeeze(tape, x, 0).sizes == Dims{2, 8});
  CHECK(tape.operators().empty());
}

TEST_CASE("a batch norm that keeps its result only reuses its input's memory") {
  Tape tape{TapeOptions{}};
  const Tensor x = activation(tape, {2, 8, 4, 4});
  CHECK(inplace_batch_norm(tape, x).storage == x.storage);
  CHECK(saved(tape) == x.bytes() + 2 * 8 * 4);
}

TEST_CASE("a custom operator keeps what it says") {
  Tape tape{TapeOptions{}};
  const Tensor a = activation(tape, {4, 8});
  const Tensor b = activation(tape, {4, 8});
  Custom custom{.operands = {a, b}, .keeps = {1}, .sizes = {4}, .keeps_new = Dims{4, 2}};
  custom.keeps_result = true;
  CHECK(run_custom(tape, custom).sizes == Dims{4});
  CHECK(saved(tape) == 128 + 32 + 16);
}

TEST_CASE("what is computed without gradients keeps nothing and asks for none") {
  Tape tape{TapeOptions{}};
  const Tensor x = activation(tape, {4, 8});
  const Tensor y =
      run_custom(tape, {.operands = {x}, .keeps = {0}, .sizes = {64, 8}, .detached = true});
  CHECK_FALSE(y.requires_grad);
  CHECK(saved(tape) == 0);
  const Timeline step = play(tape);
  CHECK(step.forward_peak == Bytes::of(x.bytes() + y.bytes()));
  CHECK(step.backward_peak == Bytes::of(0));
}

TEST_CASE("negative sizes are refused") {
  Tape copied{TapeOptions{}};
  copy_to(copied, activation(copied, {4, 8}), {4, -8});
  CHECK(copied.error() == "no tensor has the sizes [4, -8]");
  Tape custom{TapeOptions{}};
  run_custom(custom, {.operands = {activation(custom, {4})}, .keeps_new = Dims{-1}});
  CHECK(custom.refused());
}

TEST_CASE("a convolution may use a weight the program computes, and keeps it") {
  const Result<Program> program = program_of(R"(
dimensions: {}
input: {image: [batch, 3, 8, 8]}
program:
  - {parameter: [4, 3, 3, 3]}
  - {scale: ~, as: weight}
  - {conv: {out: 4, kernel: 3, weight: weight, bias: false}, from: image}
sources: [test]
)");
  REQUIRE(program);
  Result<Tape> tape = run_program(*program, {{"batch", std::int64_t{2}}}, {}, {});
  REQUIRE(tape);
  const Footprint print = summarise(*tape);
  CHECK(print.parameters == 108);
  CHECK(print.saved_bytes.count() == 108 * 4);
}
