// What makes a network convolutional: its work, not its name.

#include "model/convolutional.h"

#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

std::optional<bool> convolutional(const char* name, Dimensions dimensions = {}) {
  ModelLibrary library(model_files());
  const Result<ModelLibrary::Found> found = library.find(name);
  REQUIRE(found);
  dimensions.insert(found->entry.dimensions.begin(), found->entry.dimensions.end());
  return is_convolutional(*found->program, dimensions);
}

/// Of a program over [4, 8, 32, 32].
double share_of(const std::string& statements) {
  const Result<Program> program = program_of(
      "dimensions: {}\ninput: {image: [4, 8, 32, 32]}\nsources: [test]\nprogram:\n" + statements);
  REQUIRE(program);
  const Result<Tape> tape = run_program(*program, {{"batch", std::int64_t{4}}}, {}, {});
  REQUIRE(tape);
  return convolution_share(*tape);
}

constexpr const char* kAttention =
    "  - {flatten: 2}\n  - {permute: [0, 2, 1], as: x}\n  - {permute: [0, 2, 1], as: t}\n"
    "  - {matmul: t, from: x}\n  - {matmul: x}\n";

}  // namespace

TEST_CASE("networks whose work is convolution are convolutional, whatever they are called") {
  for (const char* name :
       {"resnet50", "dla60", "nfnet-f0", "vovnet39a", "convnext-tiny", "poolformer-s12", "alexnet",
        "efficientnet-b0", "mobilenet-v2", "convmixer-768-32", "unet-milesial", "dcgan-g"}) {
    CAPTURE(name);
    CHECK(convolutional(name) == true);
  }
}

TEST_CASE("transformers and perceptrons are not convolutional, with a patch embedding or without") {
  for (const char* name : {"vit-b-16", "vit-base-patch32-224", "swin-t", "deit-base-patch16-384",
                           "mixer-b16-224", "mlp-mnist"}) {
    CAPTURE(name);
    CHECK(convolutional(name) == false);
  }
}

TEST_CASE("a program without any convolution is not convolutional, its dimensions known or not") {
  CHECK(convolutional("llama-3.1-8b") == false);
  CHECK(convolutional("lstm-lm-650") == false);
}

TEST_CASE("a convolutional program whose dimensions are not known is neither") {
  const Result<Program> program =
      program_of("dimensions: {width: ~}\ninput: {image: [batch, 3, 8, 8]}\nsources: [test]\n"
                 "program: [{conv: {out: width, kernel: 3}}]\n");
  REQUIRE(program);
  CHECK(is_convolutional(*program, {}) == std::nullopt);
  CHECK(is_convolutional(*program, {{"width", 4_n}}) == true);
}

TEST_CASE("a product per position belongs to what mixed positions before it") {
  CHECK(share_of("  - {conv: {out: 8, kernel: 3}}\n  - {conv: 8}\n") == 1);
  CHECK(share_of("  - {conv: {out: 8, kernel: 3, stride: 2}}\n  - {linear: 64}\n") == 1);
  CHECK(share_of("  - {conv: 8}\n  - {linear: 64}\n") == 0);
  CHECK(share_of("  - {conv: {out: 8, kernel: 4, stride: 4}}\n  - {linear: 64}\n") == 0);
  CHECK(share_of(kAttention) == 0);
  CHECK(share_of(std::string(kAttention) + "  - {linear: 64}\n") == 0);
}

TEST_CASE("the work before and after an attention is told apart") {
  // 2 x 4 x 32 x 32 x 64 x 9 FLOPs of the convolution, 2 products of 1024 x 8 x 1024 per sample.
  const double convolution = 2.0 * 4 * 1024 * 64 * 9;
  const double attention = 2 * 2.0 * 4 * 1024 * 1024 * 8;
  const double share =
      share_of(std::string("  - {conv: {out: 8, kernel: 3, padding: 1}}\n") + kAttention);
  CHECK(share == doctest::Approx(convolution / (convolution + attention)));
}
