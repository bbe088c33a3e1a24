// Other code for the same weights: what it keeps follows from its operators, byte by byte.

#include "model/composites.h"
#include "model/ops.h"
#include "model/timeline.h"
#include "test_models.h"

#include <doctest/doctest.h>

namespace implementation_test {

using namespace gpulint;
using namespace gpulint::model;

namespace {

constexpr PrecisionPolicy kBf16{DType::bf16, DType::bf16, std::nullopt};

Tensor activation(Tape& tape, const Dims& sizes) {
  return tape.create(sizes, DType::bf16, StorageKind::activation, true);
}

std::int64_t saved(const Tape& tape) { return tape.saved_bytes(StorageKind::activation); }

/// One layer of 256 tokens and 64 hidden values, whose base is frozen, in 16 bits.
Footprint llama(const char* implementation, std::int64_t groups) {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = "llama-2-7b", .batch = 1};
  request.dimensions = {
      {"sequence_length", std::int64_t{256}}, {"hidden_size", std::int64_t{64}},
      {"num_hidden_layers", std::int64_t{1}}, {"num_attention_heads", std::int64_t{4}},
      {"num_key_value_heads", groups},        {"intermediate_size", std::int64_t{128}},
      {"vocab_size", std::int64_t{100}},      {"implementation", std::string(implementation)}};
  request.tape.precision = kBf16;
  request.tape.trained = {std::string(kAdapterSection)};
  request.tape.loss = LossForm::fused;  // of the layer alone
  request.execution.lora_rank = 8;
  request.execution.lora_targets = {"o_proj"};
  Result<Footprint> print = footprint(library, request);
  REQUIRE(print);
  return std::move(*print);
}

}  // namespace

TEST_CASE("logits returned in fp32 take eight bytes with the log-softmax of their chunks") {
  Tape tape(TapeOptions{.precision = kBf16, .loss = LossForm::chunked});
  cross_entropy(tape, activation(tape, {1, 256, 100}), {.widened = true, .chunk = 128});
  CHECK(saved(tape) == 256 * 100 * 8);
}

TEST_CASE(
    "a loss that overwrites its logits keeps one fp32 copy of them, and none of fp32 logits") {
  Tape half(TapeOptions{.precision = kBf16, .loss = LossForm::in_place});
  cross_entropy(half, activation(half, {1, 256, 100}), {});
  CHECK(saved(half) == 256 * 100 * 4);
  const Timeline played = play(half);
  // The copy, and the gradient of the logits in 16 bits.
  CHECK(played.backward_peak.count() >= 256 * 100 * 6);
  CHECK(played.backward_peak.count() < 256 * 100 * 7);

  Tape full(TapeOptions{.loss = LossForm::in_place});
  cross_entropy(full, full.create({1, 256, 100}, DType::fp32, StorageKind::activation, true), {});
  CHECK(saved(full) == 0);
}

TEST_CASE("chunks that nobody widens keep their log-softmax in 16 bits") {
  Tape tape(TapeOptions{.precision = kBf16, .loss = LossForm::chunked});
  cross_entropy(tape, activation(tape, {1, 256, 100}), {.chunk = 128});
  CHECK(saved(tape) == 256 * 100 * 4);
}

TEST_CASE("scores bounded by a tanh are written out unless flash attention runs") {
  const auto kept = [](AttentionBackend backend) {
    Tape tape(TapeOptions{.precision = kBf16});
    const Tensor q = activation(tape, {1, 2, 16, 8});
    attend(tape, q, activation(tape, {1, 2, 16, 8}), activation(tape, {1, 2, 16, 8}),
           {.backend = backend, .softmax_fp32 = true, .softcap = true});
    return saved(tape);
  };
  const std::int64_t heads = 2 * 16 * 8 * 2;
  const std::int64_t scores = 2 * 16 * 16;
  // q, k, v; the tanh and the cast weights in 16 bits, the softmax in fp32
  CHECK(kept(AttentionBackend::sdpa) == 3 * heads + scores * (2 + 2 + 4));
  CHECK(kept(AttentionBackend::flash) == 4 * heads + 2 * 16 * 4);
}

TEST_CASE("a value that is a view of the packed projection keeps all of it") {
  const std::int64_t one = 256 * 64 * 2;
  // Without groups the view of v keeps q and k too; with groups all three are copies.
  const std::int64_t whole = llama("litgpt", 4).saved_bytes.count();
  CHECK(whole - llama("litgpt", 2).saved_bytes.count() == 2 * one);
  // transformers copies all three, keeps the rotation's two tables and casts no norm's weights.
  const std::int64_t tables = 2 * 256 * 16 * 2;
  const std::int64_t norms = 3 * 64 * 4;
  CHECK(whole - llama("transformers", 4).saved_bytes.count() == 2 * one - tables + norms);
}

TEST_CASE("adapters on a part of the packed projection keep what they add before it is padded") {
  Tape tape(TapeOptions{.precision = kBf16, .trained = {std::string(kAdapterSection)}});
  ExecutionOptions execution{.lora_targets = {"q_proj", "v_proj"}, .lora_rank = 4};
  Machine machine(tape, execution);
  tape.begin_block("layer");
  const Tensor x = activation(tape, {1, 32, 16});
  const Tensor y = adapted_packed_linear(machine, x, {.out = {16, 16, 16}, .bias = false});
  CHECK(y.size(-1) == 48);
  // x for the first matrices, 8 values a token for the second ones, and 32 of the update
  CHECK(saved(tape) == 32 * 2 * (16 + 8 + 32));
}

TEST_CASE("an adapter that scales keeps what its layer made") {
  TapeOptions options{.precision = kBf16, .trained = {std::string(kAdapterSection)}};
  options.adapter.form = AdapterForm::scale_and_shift;
  Tape tape(options);
  ExecutionOptions execution{.lora_targets = {"*"}, .lora_rank = 1};
  Machine machine(tape, execution);
  tape.begin_block("layer");
  adapted_linear(machine, activation(tape, {1, 32, 16}), {.out = 24, .bias = false, .name = "fc"});
  CHECK(saved(tape) == 32 * 24 * 2);
}

TEST_CASE("the head is adapted only where it is named") {
  const auto adapters = [](const std::vector<std::string>& targets) {
    Tape tape(TapeOptions{.precision = kBf16, .trained = {std::string(kAdapterSection)}});
    ExecutionOptions execution{.lora_targets = targets, .lora_rank = 1};
    Machine machine(tape, execution);
    adapted_linear(machine, activation(tape, {1, 32, 16}),
                   {.out = 24, .bias = false, .name = "lm_head"});
    return summarise(tape).trainable_parameters;
  };
  CHECK(adapters({"*"}) == 0);
  CHECK(adapters({"lm_head"}) == 16 + 24);
}

TEST_CASE("inputs held by the nodes of the last step are there twice in the forward pass") {
  const auto peaks = [](bool kept) {
    TapeOptions options{.precision = kBf16};
    options.quantized = {.enabled = true, .keeps_input = true, .keeps_last_graph = kept};
    options.trained = {std::string(kAdapterSection)};
    Tape tape(options);
    ExecutionOptions execution{.lora_targets = {"none"}, .lora_rank = 1};
    Machine machine(tape, execution);
    tape.begin_block("layer");
    Tensor x = activation(tape, {1, 32, 16});
    for (int i = 0; i < 3; ++i) {
      x = adapted_linear(machine, x, {.out = 16, .bias = false, .name = "fc"});
    }
    tape.end_block({}, x);
    return play(tape);
  };
  const Bytes inputs = Bytes::of(3 * 32 * 16 * 2);
  CHECK(peaks(true).forward_peak - peaks(false).forward_peak == inputs);
}

}  // namespace implementation_test
