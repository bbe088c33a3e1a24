// What the operators of a tape ask of a device, beyond one pass over their operands.
#include "model/compiler.h"
#include "model/interpreter.h"
#include "model/operator_cost.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Tape tape_of(const std::string& statements, DType autocast = DType::fp32) {
  auto document = read_yaml("model_db/families/test.yaml",
                            "dimensions: {}\ninput: {image: [batch, 64, 32, 32]}\nprogram:\n" +
                                statements + "sources: [test]\n",
                            0);
  REQUIRE(document);
  const auto program = compile_program(*document);
  REQUIRE(program);
  TapeOptions options;
  if (autocast != DType::fp32) options.precision.autocast = autocast;
  auto tape = run_program(*program, {{"batch", expr::Value{std::int64_t{4}}}}, options, {});
  REQUIRE(tape);
  return std::move(*tape);
}

/// Bytes of the backward pass of the last operator called `kind`.
double backward_bytes(const Tape& tape, std::string_view kind) {
  const OperatorCosts costs(tape, false);
  double bytes = 0;
  for (std::uint32_t i = 0; i < tape.operators().size(); ++i) {
    if (name_of(tape.operators()[i].kind) != kind) continue;
    bytes = 0;
    for (const Kernel& kernel : costs.backward(i)) bytes += kernel.bytes;
  }
  return bytes;
}

struct Indexed {
  double forward = 0;
  double backward = 0;
};

/// Values with an index of their own in kernels of the last operator called `kind`.
Indexed indexed_values(const Tape& tape, std::string_view kind) {
  const OperatorCosts costs(tape, false);
  Indexed found;
  for (std::uint32_t i = 0; i < tape.operators().size(); ++i) {
    if (name_of(tape.operators()[i].kind) != kind) continue;
    found = {};
    for (const Kernel& kernel : costs.forward(i)) found.forward += kernel.indexed;
    for (const Kernel& kernel : costs.backward(i)) found.backward += kernel.indexed;
  }
  return found;
}

KernelKind forward_kind(const Tape& tape, std::string_view kind, bool channels_last) {
  const OperatorCosts costs(tape, channels_last);
  KernelKind found = KernelKind::copy;
  for (std::uint32_t i = 0; i < tape.operators().size(); ++i) {
    if (name_of(tape.operators()[i].kind) != kind) continue;
    for (const Kernel& kernel : costs.forward(i)) found = kernel.kind;
  }
  return found;
}

constexpr double kMap = 4.0 * 64 * 32 * 32 * 4;  // bytes of the input in fp32

std::string depthwise(int window) {
  return "  - {conv: 64}\n  - {conv: {out: 64, groups: 64, kernel: " + std::to_string(window) +
         "}}\n";
}

}  // namespace

TEST_CASE("the gradient of a factor per channel is made in full size and summed") {
  const Tape tape = tape_of(
      "  - {conv: 64, as: map}\n  - {adaptive_average_pool: 1, as: factor}\n"
      "  - {multiply: factor, from: map}\n");
  // Of the map: gradient in, gradient out. Of the factor: gradient in, map, product out and in.
  CHECK(backward_bytes(tape, "multiply") == doctest::Approx(6 * kMap).epsilon(0.01));
}

TEST_CASE("only operands of different shapes make a kernel compute an index per value") {
  constexpr double kValues = kMap / 4;
  const Tape gated = tape_of(
      "  - {conv: 64, as: map}\n  - {adaptive_average_pool: 1, as: factor}\n"
      "  - {multiply: factor, from: map}\n",
      DType::fp16);
  // Backward the gradient of the map is indexed, that of the factor is two maps multiplied.
  CHECK(indexed_values(gated, "multiply").forward == kValues);
  CHECK(indexed_values(gated, "multiply").backward == kValues);
  CHECK(indexed_values(gated, "mean").forward == 0);
  CHECK(indexed_values(gated, "mean").backward == kValues);
  const Tape alike = tape_of("  - {conv: 64, as: map}\n  - {multiply: map, from: map}\n");
  CHECK(indexed_values(alike, "multiply").forward == 0);
  CHECK(indexed_values(alike, "multiply").backward == 0);
  const Tape offset = tape_of(
      "  - {conv: 64, as: map}\n  - {adaptive_average_pool: 1, as: offset}\n"
      "  - {add: offset, from: map}\n");
  CHECK(indexed_values(offset, "add").forward == kValues);
  CHECK(indexed_values(offset, "add").backward == 0);
}

TEST_CASE("filling under a mask copies first, forward and backward, and places values one by one") {
  const Tape tape = tape_of(
      "  - {parameter: {sizes: [32, 32], name: hidden}, as: hidden}\n"
      "  - {conv: {out: 64, kernel: 1}, from: image, as: map}\n"
      "  - {mask_fill: hidden, from: map}\n");
  const double mask = 32 * 32 * 4;
  CHECK(backward_bytes(tape, "mask_fill") == 4 * kMap + 2 * mask);
  CHECK(indexed_values(tape, "mask_fill").forward == kMap / 4);
  CHECK(indexed_values(tape, "mask_fill").backward == kMap / 4);
}

TEST_CASE("the gradient of an offset per channel sums the incoming one") {
  const Tape tape = tape_of(
      "  - {conv: 64, as: map}\n  - {adaptive_average_pool: 1, as: offset}\n"
      "  - {add: offset, from: map}\n");
  CHECK(backward_bytes(tape, "add") == doctest::Approx(kMap).epsilon(0.01));
}

TEST_CASE("a weight that two layers share adds up two gradients") {
  const Tape tape = tape_of(
      "  - {parameter: {sizes: [64, 64, 1, 1], name: shared}, as: weight}\n"
      "  - {conv: {out: 64, weight: weight, bias: false}, from: image}\n"
      "  - {conv: {out: 64, weight: weight, bias: false}}\n");
  CHECK(OperatorCosts(tape, false).weight_sums().bytes == 3 * 4 * 64 * 64);
}

TEST_CASE("the gradient of a slice of a weight is as large as the weight") {
  const Tape tape = tape_of(
      "  - {parameter: {sizes: [256, 64, 1, 1], name: table}, as: table}\n"
      "  - {slice: {size: 64, dimension: 0}, as: weight}\n"
      "  - {conv: {out: 64, weight: weight, bias: false}, from: image}\n");
  CHECK(OperatorCosts(tape, false).weight_sums().bytes == 4 * (256 * 64 + 2 * 64 * 64));
}

TEST_CASE("cuDNN runs depthwise convolutions in 16 bits or channels-last order only") {
  CHECK(forward_kind(tape_of(depthwise(3)), "conv", false) == KernelKind::own_depthwise);
  CHECK(forward_kind(tape_of(depthwise(3)), "conv", true) == KernelKind::depthwise);
  CHECK(forward_kind(tape_of(depthwise(3), DType::fp16), "conv", false) == KernelKind::depthwise);
  CHECK(forward_kind(tape_of(depthwise(7), DType::fp16), "conv", false) ==
        KernelKind::own_depthwise);
}
