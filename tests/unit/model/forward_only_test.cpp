// A forward pass that no backward pass follows: evaluation.

#include "test_models.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using namespace gpulint::model;

namespace {

/// Of a language model whose adapters, norms, embeddings and head are trained.
Footprint adapted(bool autograd) {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = "llama-3.2-1b", .dimensions = {{"sequence_length", 128_n}}};
  request.execution.lora_targets = {"*"};
  request.execution.lora_rank = 8;
  request.tape.trained = {std::string(kAdapterSection)};
  request.tape.train_norms = true;
  request.tape.train_outside_blocks = true;
  request.tape.autograd = autograd;
  Result<Footprint> print = footprint(library, request);
  REQUIRE(print);
  return std::move(*print);
}

}  // namespace

TEST_CASE("without autograd nothing is trained and nothing kept, whatever an adapter trains") {
  const Footprint print = adapted(false);
  CHECK(print.trainable_parameters == 0);
  CHECK(print.saved_bytes == Bytes{});
  CHECK(print.backward.value == 0);
  CHECK(std::none_of(print.tape.operators().begin(), print.tape.operators().end(),
                     [](const Operator& op) { return op.differentiable; }));
}

TEST_CASE("with autograd the same network keeps activations and trains what it is told to") {
  const Footprint print = adapted(true);
  CHECK(print.trainable_parameters > 0);
  CHECK(print.saved_bytes > Bytes{});
  CHECK(print.parameters == adapted(false).parameters);
}
