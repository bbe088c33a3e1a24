// Bytes autograd kept, measured with saved_tensors_hooks on PyTorch 1.13 (CPU, fp32, attention
// written out) for small instances of a family: transformers 4.41.2, diffusers 0.27.2, and for DiT
// a module of the same operators as its authors'. Parameters, buffers, inputs and targets left out.
// Differences are scalars the modules divide by.

#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpulint;
using namespace gpulint::model;

namespace {

struct Measured {
  const char* family;
  Dimensions dimensions;
  std::int64_t parameters;
  double saved_bytes;
  double mixed_saved_bytes;  // under bf16 autocast, its copies of weights left out
};

Dimensions with(Dimensions base, const Dimensions& changes) {
  for (const auto& [name, value] : changes) base.insert_or_assign(name, value);
  return base;
}

const Dimensions kText = {{"hidden_size", 64_n},
                          {"num_hidden_layers", 2_n},
                          {"num_attention_heads", 4_n},
                          {"intermediate_size", 128_n},
                          {"vocab_size", 300_n},
                          {"relative_attention", true},
                          {"batch", 4_n},
                          {"sequence_length", 128_n},
                          {"pos_att_type", "p2c|c2p"},
                          {"learned_positions", false}};
const Dimensions kBuckets = with(
    kText, {{"position_buckets", 32_n}, {"norm_rel_ebd", "layer_norm"}, {"share_att_key", true}});
const Dimensions kSpeech = {{"hidden_size", 64_n},          {"num_hidden_layers", 2_n},
                            {"num_decoder_layers", 3_n},    {"num_attention_heads", 4_n},
                            {"intermediate_size", 128_n},   {"vocab_size", 300_n},
                            {"num_mel_bins", 20_n},         {"max_source_positions", 50_n},
                            {"max_target_positions", 60_n}, {"batch", 3_n},
                            {"sequence_length", 40_n}};
const Dimensions kPairs = {{"hidden_size", 96_n},        {"num_hidden_layers", 3_n},
                           {"num_attention_heads", 6_n}, {"patch_size", 8_n},
                           {"image_size", 32_n},         {"text_hidden_size", 64_n},
                           {"intermediate_size", 192_n}, {"text_intermediate_size", 128_n},
                           {"text_hidden_layers", 2_n},  {"text_attention_heads", 4_n},
                           {"vocab_size", 300_n},        {"text_tokens", 20_n},
                           {"projection_dim", 32_n},     {"batch", 5_n}};
const Dimensions kImages = {
    {"hidden_size", 64_n},  {"num_hidden_layers", 3_n}, {"num_attention_heads", 4_n},
    {"trained_size", 56_n}, {"classes", 10_n},          {"image_size", 42_n},
    {"batch", 4_n}};
const Dimensions kLatents = {{"block_out_channels", expr::List{32_n, 64_n, 64_n, 64_n}},
                             {"heads", expr::List{4_n}},
                             {"context_size", 24_n},
                             {"groups", 8_n},
                             {"latent_size", 16_n},
                             {"batch", 2_n}};
const Dimensions kPatches = {
    {"hidden_size", 64_n}, {"num_attention_heads", 4_n}, {"classes", 10_n}, {"batch", 5_n}};

const Dimensions kPlain = {{"hidden_size", 64_n},
                           {"num_hidden_layers", 3_n},
                           {"num_attention_heads", 4_n},
                           {"intermediate_size", 128_n},
                           {"image_size", 32_n},
                           {"patch_size", 8_n},
                           {"classes", 10_n},
                           {"batch", 5_n}};
// PyTorch 1.13 keeps what a pooling to one value averages, 5 x 4 x 4 x 64 values; 2.x does not.
constexpr double kMeanOfLastMap = 5 * 4 * 4 * 64 * 4;
const Dimensions kWindows = {{"embed_dim", 16_n},
                             {"depths", expr::List{2_n, 2_n, 2_n}},
                             {"heads", expr::List{2_n, 4_n, 4_n}},
                             {"window_size", 4_n},
                             {"classes", 10_n},
                             {"image_size", 64_n},
                             {"batch", 5_n}};

std::vector<Measured> measured() {
  const expr::List kinds{"DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"};
  return {
      {"deberta-v2", kBuckets, 94'786, 11'502'492, 7'963'008},
      {"deberta-v2", with(kBuckets, {{"conv_kernel_size", 3_n}, {"conv_act", "gelu"}}), 107'266,
       11'935'132, 8'264'576},
      {"deberta", kText, 172'482, 20'756'884, 12'892'036},
      {"whisper", kSpeech, 259'904, 3'875'828, 3'303'188},
      {"whisper",
       with(kSpeech, {{"dropout", 0.1}, {"attention_dropout", 0.1}, {"activation_dropout", 0.1}}),
       259'904, 5'033'108, 3'702'068},
      {"clip", kPairs, 337'569, 2'361'760, 1'729'250},
      {"clip", with(kPairs, {{"activation", "gelu"}, {"text_activation", "gelu"}}), 337'569,
       2'063'480, 1'580'090},
      {"dinov2", kImages, 190'666, 586'876, 422'748},
      {"dinov2", with(kImages, {{"gated", true}}), 194'026, 679'036, 468'828},
      {"dinov2", with(kImages, {{"dropout", 0.1}, {"attention_dropout", 0.1}, {"drop_path", 0.2}}),
       190'666, 621'260, 437'932},
      {"transformers-vit", kPlain, 114'698, 901'228, 684'388},
      {"transformers-vit", with(kPlain, {{"dropout", 0.1}, {"attention_dropout", 0.1}}), 114'698,
       1'026'008, 739'808},
      {"transformers-vit", with(kPlain, {{"distilled", true}}), 114'826, 958'548, 729'268},
      {"transformers-swin", kWindows, 145'134, 5'558'180 - kMeanOfLastMap,
       4'164'840 - kMeanOfLastMap},
      {"transformers-swin", with(kWindows, {{"dropout", 0.1}, {"attention_dropout", 0.1}}), 145'134,
       6'387'620 - kMeanOfLastMap, 4'461'800 - kMeanOfLastMap},
      {"transformers-swin", with(kWindows, {{"drop_path", 0.0}}), 145'134,
       5'558'012 - kMeanOfLastMap, 4'164'732 - kMeanOfLastMap},
      {"stable-diffusion-unet", kLatents, 3'208'868, 37'921'136, 38'061'360},
      {"stable-diffusion-unet", with(kLatents, {{"layers_per_block", 1_n}}), 2'131'332, 23'123'920,
       23'137'552},
      {"stable-diffusion-unet",
       with(kLatents, {{"heads", expr::List{2_n, 4_n, 4_n, 4_n}}, {"use_linear_projection", true}}),
       3'208'868, 31'101'296, 27'831'600},
      {"stable-diffusion-unet",
       with(kLatents, {{"block_out_channels", expr::List{32_n, 64_n, 96_n}},
                       {"down_block_types", kinds},
                       {"heads", expr::List{2_n, 4_n, 6_n}},
                       {"depths", expr::List{1_n, 2_n, 3_n}},
                       {"context_size", 40_n},
                       {"use_linear_projection", true},
                       {"added_size", 64_n}}),
       6'516'228, 28'312'648, 22'512'328},
      {"dit", with(kPatches, {{"num_hidden_layers", 3_n}, {"latent_size", 8_n}}), 257'888,
       1'412'544, 916'544},
      {"dit",
       with(kPatches, {{"num_hidden_layers", 2_n}, {"latent_size", 16_n}, {"patch_size", 4_n}}),
       192'512, 1'000'376, 656'056},
  };
}

}  // namespace

namespace {

/// Saved bytes of the program over the measured ones, less 1; fails the test where it cannot run.
double deviation(ModelLibrary& library, const Measured& row, bool mixed) {
  TapeOptions options;
  if (mixed) options.precision.autocast = DType::bf16;
  ExecutionOptions execution;
  execution.attention = AttentionBackend::explicit_math;
  const auto found = library.find(row.family);
  REQUIRE(found);
  Result<Tape> tape = run_program(*found->program, row.dimensions, options, execution);
  if (!tape) FAIL(tape.error().to_string());
  const Footprint print = summarise(*tape);
  CHECK(print.parameters == row.parameters);
  return print.saved_bytes.as_double() / (mixed ? row.mixed_saved_bytes : row.saved_bytes) - 1;
}

}  // namespace

TEST_CASE("families keep for the backward pass what autograd was seen to keep") {
  ModelLibrary library(model_files());
  for (const Measured& row : measured()) {
    CAPTURE(row.family);
    CAPTURE(row.saved_bytes);
    CHECK(std::abs(deviation(library, row, false)) < 5e-4);
    CHECK(std::abs(deviation(library, row, true)) < 1e-3);
  }
}

// PyTorch 2.15 and transformers 4.30.2, as above without the mask over time; fp32 alone, since the
// CPU's autocast leaves norms in 16 bits. Masks of dropout in CUDA's one byte instead of the CPU's
// four; the vector that hides frames is counted.
TEST_CASE("wav2vec 2.0 keeps what autograd was seen to keep") {
  const expr::List widths(7, 32_n);
  const Dimensions plain = {
      {"hidden_size", 64_n},        {"num_hidden_layers", 2_n}, {"num_attention_heads", 4_n},
      {"intermediate_size", 128_n}, {"vocab_size", 30_n},       {"extractor_widths", widths},
      {"position_kernel", 16_n},    {"position_groups", 4_n},   {"batch", 3_n},
      {"sequence_length", 60_n},    {"dropout", 0.0},           {"attention_dropout", 0.0},
      {"activation_dropout", 0.0},  {"final_dropout", 0.0},     {"input_dropout", 0.0}};
  const Dimensions stable =
      with(plain, {{"stable", true}, {"extractor_norm", "layer"}, {"extractor_bias", true}});
  const Dimensions dropped = {{"dropout", 0.1},
                              {"attention_dropout", 0.1},
                              {"activation_dropout", 0.1},
                              {"final_dropout", 0.1},
                              {"input_dropout", 0.1}};
  ModelLibrary library(model_files());
  for (const Measured& row :
       {Measured{"wav2vec2", plain, 104'494, 9'108'708, 0},
        Measured{"wav2vec2", stable, 105'102, 10'747'188, 0},
        Measured{"wav2vec2", with(plain, dropped), 104'494, 9'667'428, 0},
        Measured{"wav2vec2", with(stable, dropped), 105'102, 11'305'908, 0}}) {
    CAPTURE(row.saved_bytes);
    CHECK(std::abs(deviation(library, row, false)) < 1e-3);
  }
}

// PyTorch 2.15 and transformers 5.23, without dropout; fp32 alone, as above.
TEST_CASE("decoders and encoders of 2024 and 2025 keep what autograd was seen to keep") {
  const Dimensions small = {{"hidden_size", 64_n},        {"num_hidden_layers", 3_n},
                            {"num_attention_heads", 4_n}, {"intermediate_size", 128_n},
                            {"vocab_size", 300_n},        {"batch", 4_n},
                            {"sequence_length", 128_n}};
  const Dimensions grouped = with(small, {{"num_key_value_heads", 2_n}});
  const Dimensions dry = {{"dropout", 0.0}, {"embedding_dropout", 0.0}, {"attention_dropout", 0.0}};
  ModelLibrary library(model_files());
  for (const Measured& row :
       {Measured{"starcoder2", with(with(grouped, dry), {{"num_hidden_layers", 2_n}}), 77'952,
                 6'160'388, 0},
        Measured{"modernbert", small, 146'818, 9'763'908, 0},
        Measured{"lfm2", with(grouped, {{"attention_layers", expr::List{1_n}}}), 138'848,
                 10'102'788, 0},
        Measured{"llama", grouped, 149'440, 11'266'052, 0}}) {
    CAPTURE(row.family);
    CHECK(std::abs(deviation(library, row, false)) < 1e-3);
  }
}

// The same versions. Gemma 4's norm keeps the mean of squares beside its root: a number per row
// more.
TEST_CASE("Gemma 4 keeps what autograd was seen to keep, within a hundredth") {
  const Dimensions plain = {
      {"hidden_size", 64_n},        {"num_hidden_layers", 4_n},      {"period", 2_n},
      {"num_attention_heads", 4_n}, {"num_key_value_heads", 2_n},    {"head_dim", 16_n},
      {"global_head_dim", 32_n},    {"global_key_value_heads", 1_n}, {"shared_values", true},
      {"intermediate_size", 128_n}, {"vocab_size", 300_n},           {"batch", 4_n},
      {"sequence_length", 128_n}};
  ModelLibrary library(model_files());
  const Measured row{"gemma-4", plain, 180'224, 20'865'028, 0};
  CHECK(std::abs(deviation(library, row, false)) < 1e-2);
}
