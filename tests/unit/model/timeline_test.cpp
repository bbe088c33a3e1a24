#include "model/timeline.h"

#include "model/ops.h"
#include "test_models.h"

#include <doctest/doctest.h>

#include <map>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Footprint resnet18(std::int64_t batch) {
  ModelLibrary library(model_files());
  Result<Footprint> print = footprint(library, {.model = "resnet18", .batch = batch});
  REQUIRE(print);
  return std::move(*print);
}

}  // namespace

TEST_CASE("every buffer of a step is allocated once and released at most once") {
  const Footprint print = resnet18(2);
  std::map<std::uint32_t, std::int64_t> live;
  for (const MemoryEvent& event : play(print.tape).events) {
    if (event.bytes >= 0) {
      CHECK(live.emplace(event.id, event.bytes).second);
    } else {
      CHECK(live.at(event.id) == -event.bytes);
      live.at(event.id) = 0;
    }
  }
}

TEST_CASE("a convolution's workspace is there beside the gradients it writes") {
  TapeOptions options;
  options.convolution_workspace = ConvolutionWorkspace::winograd;
  Tape tape(options);
  const Tensor x = tape.create({1, 64, 32, 32}, DType::fp32, StorageKind::activation, true);
  Convolution square;
  square.out = 64;
  square.kernel = {3, 3};
  square.stride = square.padding = square.dilation = {1, 1};
  convolve(tape, x, square);
  const Bytes transformed = Bytes::of(4 * 36 * (8 * 8 * (64 + 64) + 64 * 64));
  const Timeline step = play(tape);
  CHECK(step.backward_peak == step.backward_peak_unaided + transformed);
}

TEST_CASE("before PyTorch 2.0 gradients that meet are added into a third tensor") {
  const auto peak = [](bool apart) {
    TapeOptions options;
    options.gradients_summed_apart = apart;
    Tape tape(options);
    const Tensor x =
        activate(tape, tape.create({1000, 256}, DType::fp32, StorageKind::activation, true),
                 Activation::relu);
    const Tensor target = tape.create({1000, 1}, DType::fp32, StorageKind::target, false);
    const Tensor a = linear(tape, x, tape.parameter({1, 256}), {});
    const Tensor b = linear(tape, x, tape.parameter({1, 256}), {});
    mean_squared_error(tape, add(tape, a, b), target);
    return play(tape).backward_peak;
  };
  // One more map, less the few gradients that are through by then.
  CHECK(peak(true) > peak(false) + Bytes::of(4 * 1000 * 250));
  CHECK(peak(true) <= peak(false) + Bytes::of(4 * 1000 * 256));
}

TEST_CASE("after the forward pass exactly the saved tensors, logits and loss are left") {
  const Footprint print = resnet18(4);
  const Bytes logits = Bytes::of(4 * 1000 * 4);
  const Bytes loss = Bytes::of(4);
  CHECK(play(print.tape).forward_end == print.saved_bytes + logits + loss);
}

TEST_CASE("after the backward pass the gradients, logits and loss are left") {
  const Footprint print = resnet18(4);
  const Bytes logits = Bytes::of(4 * 1000 * 4);
  CHECK(play(print.tape).backward_end == print.trainable_bytes + logits + Bytes::of(4));
}

TEST_CASE("checkpointing lowers what the forward pass leaves and its peak") {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = "llama-3.2-1b", .batch = 1};
  const Result<Footprint> plain = footprint(library, request);
  request.tape.checkpoint_blocks = true;
  const Result<Footprint> checkpointed = footprint(library, request);
  REQUIRE(plain);
  REQUIRE(checkpointed);
  CHECK(play(checkpointed->tape).forward_end < play(plain->tape).forward_end);
  CHECK(play(checkpointed->tape).backward_peak < play(plain->tape).backward_peak);
}

TEST_CASE("autocast holds the half-precision weights until the backward pass") {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = "resnet18", .batch = 1};
  request.tape.precision.autocast = DType::fp16;
  const Result<Footprint> print = footprint(library, request);
  REQUIRE(print);
  const Bytes half_logits = Bytes::of(1000 * 2);
  CHECK(play(print->tape).forward_end ==
        print->saved_bytes + print->saved_weight_cast_bytes + half_logits + Bytes::of(4));
}
