// What autograd keeps of one adapted layer, form by form: 32 tokens, 16 inputs, 24 outputs, rank 4,
// a base in 16 bits and an adapter in fp32, whose inputs are cast.

#include "model/composites.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

constexpr PrecisionPolicy kBf16{DType::bf16, DType::bf16, std::nullopt};
constexpr std::int64_t kTokens = 32;
constexpr std::int64_t kIn = 16;
constexpr std::int64_t kOut = 24;
constexpr std::int64_t kRank = 4;

struct Kept {
  std::int64_t tokens = 0;     // bytes of activations
  std::int64_t trainable = 0;  // weights
};

Kept layer(AdapterForm form) {
  TapeOptions options{.precision = kBf16, .trained = {std::string(kAdapterSection)}};
  options.adapter.form = form;
  options.adapter.weights = DType::fp32;
  Tape tape(options);
  ExecutionOptions execution{.lora_targets = {"*"}, .lora_rank = kRank};
  Machine machine(tape, execution);
  tape.begin_block("layer");
  const Tensor x = tape.create({1, kTokens, kIn}, DType::bf16, StorageKind::activation, true);
  const Tensor y = adapted_linear(machine, x, {.out = kOut, .bias = false, .name = "fc"});
  CHECK(y.size(-1) == kOut);
  CHECK(y.dtype == DType::bf16);
  Kept kept{tape.saved_bytes(StorageKind::activation), 0};
  kept.trainable = summarise(tape).trainable_parameters;
  return kept;
}

constexpr std::int64_t kInput = kTokens * kIn;
constexpr std::int64_t kOutput = kTokens * kOut;
constexpr std::int64_t kNarrow = kTokens * kRank;
constexpr std::int64_t kWeight = kIn * kOut;
constexpr std::int64_t kSquare = kIn * kIn;

}  // namespace

TEST_CASE("a low-rank adapter keeps its input and its narrow product in fp32") {
  CHECK(layer(AdapterForm::low_rank).tokens == 4 * (kInput + kNarrow));
  CHECK(layer(AdapterForm::low_rank).trainable == kRank * (kIn + kOut));
}

TEST_CASE("an adapter between frozen projections keeps no input") {
  CHECK(layer(AdapterForm::projected).tokens == 4 * kNarrow);
  CHECK(layer(AdapterForm::projected_and_scaled).tokens == 4 * (kNarrow + kOutput));
}

TEST_CASE("an update written out is kept beside the input in fp32") {
  CHECK(layer(AdapterForm::written_update).tokens == 4 * (kInput + kWeight));
}

TEST_CASE("a weight changed in fp32 is kept with the copy it was made from") {
  CHECK(layer(AdapterForm::written_weight).tokens == 4 * (kInput + 2 * kWeight));
}

TEST_CASE("a weight changed in its own format is kept beside the layer's own input") {
  CHECK(layer(AdapterForm::changed_weight).tokens == 2 * (kInput + kWeight));
}

TEST_CASE("every reflection of a weight keeps the product of those before it") {
  const std::int64_t reflections = (kRank + 1) * kSquare;
  CHECK(layer(AdapterForm::reflected_weight).tokens == 4 * (kInput + 2 * kWeight + reflections));
}

TEST_CASE("a rotated input keeps the rotation, its factors and what the layer made of it") {
  CHECK(layer(AdapterForm::rotated_input).tokens == 2 * (kInput + 3 * kSquare + kOutput));
}

TEST_CASE("a convolved update keeps its input and no spectrum of it") {
  CHECK(layer(AdapterForm::convolved).tokens == 4 * kInput);
  CHECK(layer(AdapterForm::convolved).trainable == kRank * kIn);
}
