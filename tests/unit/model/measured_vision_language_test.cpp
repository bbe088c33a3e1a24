// Bytes autograd kept of vision-language models, measured with saved_tensors_hooks on PyTorch 2.5.1
// and transformers 4.57.1 (CPU, fp32) for small instances: two samples of 128 tokens, with the
// tower trained and with tower and projector frozen. Parameters, buffers and inputs left out.

#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace measured_vision_language_test {

using namespace gpulint;
using namespace gpulint::model;

namespace {

Dimensions with(Dimensions base, const Dimensions& changes) {
  for (const auto& [name, value] : changes) base.insert_or_assign(name, value);
  return base;
}

struct Measured {
  const char* family;
  Dimensions dimensions;
  std::int64_t parameters;
  double towers;  // bytes that tower and projector add, attention fused
  double frozen;  // bytes of the rest, attention written out
};

const Dimensions kText = {{"batch", 2_n},
                          {"sequence_length", 128_n},
                          {"hidden_size", 64_n},
                          {"num_hidden_layers", 2_n},
                          {"num_attention_heads", 4_n},
                          {"num_key_value_heads", 2_n},
                          {"intermediate_size", 128_n},
                          {"vocab_size", 300_n}};
// 8 x 16 patches of 14 pixels: two windows of Qwen 2.5.
const Dimensions kQwen = with(
    kText, {{"image_pixels", 8_n * 16_n * 196_n}, {"vision_heads", 4_n}, {"vision_layers", 3_n}});

// On the CPU every image is attended to by itself and the results are joined, in one more tensor a
// layer (256 patches of 48 values) than the kernels that take images of different lengths leave.
constexpr double kJoined = 256 * 48 * 4;

const Dimensions kSquare = with(kText, {{"vision_image", 56_n},
                                        {"vision_size", 48_n},
                                        {"vision_layers", 4_n},
                                        {"vision_heads", 4_n},
                                        {"vision_width", 100_n}});

std::vector<Measured> measured() {
  return {
      {"tiled-vision",
       with(kSquare,
            {{"vision_kind", "internvl_vision"}, {"text_kind", "qwen2"}, {"most_tiles", 1_n}}),
       236'512, 390'720, 3'935'492},
      {"gemma", with(kSquare, {{"head_dim", 16_n}}), 202'912, 315'648, 3'936'776},
      {"mllama",
       with(kText, {{"num_hidden_layers", 3_n},
                    {"cross_layers", expr::List{1_n}},
                    {"vision_image", 56_n},
                    {"vision_size", 48_n},
                    {"vision_global_layers", 2_n},
                    {"vision_heads", 4_n},
                    {"vision_width", 100_n}}),
       881'905, 15'930'980, 5'672'012},
      {"qwen-vision", with(kQwen, {{"vision_embed", 48_n}, {"vision_width", 192_n}}), 303'472,
       3'639'296 - 3 * kJoined, 3'984'644},
      {"qwen-vision",
       with(kQwen, {{"vision_generation", 25_n},
                    {"vision_hidden", 48_n},
                    {"vision_width", 100_n},
                    {"vision_whole_layers", expr::List{1_n}}}),
       291'064, 3'436'544 - 3 * kJoined, 3'984'644},
      {"qwen-vision",
       with(kQwen, {{"vision_generation", 3_n},
                    {"image_pixels", 8_n * 16_n * 256_n},
                    {"vision_hidden", 48_n},
                    {"vision_width", 100_n},
                    {"vision_layers", 4_n},
                    {"vision_positions", 64_n}}),
       465'632, 3'694'080 - 4 * kJoined, 4'357'380},
  };
}

Footprint footprint_of(ModelLibrary& library, const Measured& row, AttentionBackend attention,
                       std::vector<std::string> frozen) {
  TapeOptions options;
  options.frozen = std::move(frozen);
  ExecutionOptions execution;
  execution.attention = attention;
  const auto found = library.find(row.family);
  REQUIRE(found);
  Result<Tape> tape = run_program(*found->program, row.dimensions, options, execution);
  if (!tape) FAIL(tape.error().to_string());
  return summarise(*tape);
}

}  // namespace

TEST_CASE("towers keep for the backward pass what autograd was seen to keep, frozen ones nothing") {
  ModelLibrary library(model_files());
  const std::vector<std::string> parts{"vision", "projector"};
  for (const Measured& row : measured()) {
    CAPTURE(row.family);
    CAPTURE(row.parameters);
    const Footprint whole = footprint_of(library, row, AttentionBackend::flash, {});
    const Footprint rest = footprint_of(library, row, AttentionBackend::flash, parts);
    const Footprint written = footprint_of(library, row, AttentionBackend::explicit_math, parts);
    CHECK(whole.parameters == row.parameters);
    const double towers = (whole.saved_bytes - rest.saved_bytes).as_double();
    CHECK(std::abs(towers / row.towers - 1) < 0.01);
    // The language model is that of other families; releases differ in what its masks are.
    CHECK(std::abs(written.saved_bytes.as_double() / row.frozen - 1) < 0.03);
  }
}

}  // namespace measured_vision_language_test
