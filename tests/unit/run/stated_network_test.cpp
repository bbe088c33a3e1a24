#include "run/stated_network.h"

#include "estimate/estimate.h"
#include "model/interpreter.h"
#include "run/resolved_run.h"
#include "source/read.h"
#include "unit/estimate/embedded.h"
#include "unit/run/network_of.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gpulint;
using namespace gpulint::test;

namespace stated_network_test {

const char* kNemoLlama =
    "model:\n"
    "  mcore_gpt: true\n"
    "  encoder_seq_length: 4096\n"
    "  num_layers: 32\n"
    "  hidden_size: 4096\n"
    "  ffn_hidden_size: 11008\n"
    "  num_attention_heads: 32\n"
    "  normalization: rmsnorm\n"
    "  bias: false\n"
    "  activation: fast-swiglu\n"
    "  position_embedding_type: rope\n"
    "  share_embeddings_and_output_weights: false\n"
    "  make_vocab_size_divisible_by: 128\n"
    "  hidden_dropout: 0.0\n";

TEST_CASE("geometry and switches of a framework are the network they describe") {
  const auto found =
      network_of(std::string(kNemoLlama) +
                 "  tokenizer: {library: huggingface, type: meta-llama/Llama-2-7b-hf}\n");
  REQUIRE(found);
  CHECK(found->entry.family == "megatron-decoder");
  CHECK(parameters_of(*found) == 6'738'415'616);  // Llama 2 7B
  CHECK(found->others.empty());
  CHECK(found->missing.empty());
  CHECK_FALSE(found->loose);
  CHECK(found->assumed);  // the framework's release decides what the words build
}

TEST_CASE("a vocabulary that nothing names is an interval") {
  const auto found = network_of(kNemoLlama);
  REQUIRE(found);
  CHECK(found->open == std::vector<std::string>{"vocab_size"});
  REQUIRE(found->others.size() == 2);
  CHECK(found->others[0].entry.dimensions.at("vocab_size") == expr::Value(std::int64_t{32000}));
  CHECK(found->others[1].entry.dimensions.at("vocab_size") == expr::Value(std::int64_t{256000}));
}

TEST_CASE("what no key states is the framework's default") {
  // GPT-3 126M: learned positions, layer norms, offsets, a tied head; 50,257 words padded to
  // 50,304.
  const auto found = network_of(
      "model: {megatron_amp_O2: true, num_layers: 12, hidden_size: 768, num_attention_heads: 12,\n"
      "        ffn_hidden_size: '${multiply:4, ${.hidden_size}}', max_position_embeddings: 2048,\n"
      "        tokenizer: {library: megatron, type: GPT2BPETokenizer}}\n");
  REQUIRE(found);
  CHECK(parameters_of(*found) == 125'262'336);
}

TEST_CASE("flags are keys like others, whatever their dashes and case") {
  const auto found = network_of(
      "MODEL_ARGS: {--num-layers: 12, --hidden-size: 768, --num-attention-heads: 12,\n"
      "             --micro-batch-size: 4, --vocab-size: 50304, --max-position-embeddings: "
      "2048}\n");
  REQUIRE(found);
  CHECK(parameters_of(*found) == 125'262'336);
}

TEST_CASE("a network with parts of another kind is none of the plain form") {
  CHECK_FALSE(network_of(std::string(kNemoLlama) + "  mm_cfg: {llm: {freeze: true}}\n"));
}

TEST_CASE("a decoder inside a network of the program's own is none of the plain form") {
  const std::string flags =
      "MODEL_ARGS: {--num-layers: 12, --hidden-size: 768, --num-attention-heads: 12,\n"
      "             --micro-batch-size: 4, --vocab-size: 50304, --max-position-embeddings: 2048";
  CHECK(network_of(flags + "}\n"));
  CHECK_FALSE(network_of(flags + ", --model-provider: llava_vlm}\n"));
  CHECK_FALSE(network_of(flags + ", --language-model-type: mistral_7b, --freeze-LM: true}\n"));
}

TEST_CASE("common words of geometry are a likely network, not a sure one") {
  const auto found = network_of(
      "model: {d_model: 512, n_layers: 6, n_heads: 8, d_ff: 2048, vocab_size: 32000,\n"
      "        activation: gelu, norm_type: layernorm, bias: true, tie_word_embeddings: true}\n");
  REQUIRE(found);
  CHECK(found->assumed);
  CHECK(found->others.empty());
  CHECK(parameters_of(*found) == 35'299'328);
}

TEST_CASE("other networks with layers and heads are none") {
  CHECK_FALSE(network_of("model: {d_model: 512, n_layers: 6, n_heads: 8}\n"));
  CHECK_FALSE(
      network_of("model: {d_model: 512, n_layers: 6, n_heads: 8, vocab_size: 9, arch: mamba}\n"));
  CHECK_FALSE(
      network_of("model: {hidden_size: 512, num_layers: 6, num_heads: 8, vocab_size: 9, "
                 "num_experts: 8}\n"));
}

TEST_CASE("a library's constructor and a project's own words name a model") {
  const auto built = network_of("net: {_target_: torchvision.models.resnet50, num_classes: 10}\n");
  REQUIRE(built);
  CHECK(built->entry.id == "resnet50");
  CHECK_FALSE(built->assumed);
  CHECK(built->entry.dimensions.at("classes") == expr::Value(std::int64_t{10}));
  const auto named =
      network_of("model: {_target_: ours.Classifier, model_name: torchvision.models/vit_b_16}\n");
  REQUIRE(named);
  CHECK(named->entry.id == "vit-b-16");
  CHECK(named->assumed);
  const auto backbone = network_of("model: {type: OurSegmenter, backbone: resnet50}\n");
  REQUIRE(backbone);
  CHECK(backbone->missing == std::vector<std::string>{"what is built on the backbone"});
  CHECK_FALSE(network_of("model: {model_name: our_net_v2}\n"));
}

/// Parameters at the ends of what is open, the least and the most.
std::vector<std::int64_t> ends_of(const model::ModelLibrary::Found& found) {
  std::vector<std::int64_t> ends;
  for (const model::ModelLibrary::Found& other : found.others) ends.push_back(parameters_of(other));
  return ends;
}

TEST_CASE(
    "encoders of sound are those of their checkpoints, and what pre-training adds is missing") {
  // wav2vec 2.0 Base in pre-training has 95,044,608, of which 476,032 are the quantizer's.
  const auto base = network_of(
      "task: {_name: audio_pretraining}\ncriterion: {_name: wav2vec}\n"
      "model: {_name: wav2vec2, quantize_targets: true, final_dim: 256}\n");
  REQUIRE(base);
  CHECK(base->entry.family == "wav2vec2");
  CHECK(parameters_of(*base) == 95'044'608 - 476'032);
  CHECK(base->missing == std::vector<std::string>{"a quantizer and the contrast of masked frames"});
  const auto largest = network_of(
      "model: {_name: hubert, encoder_layers: 48, encoder_embed_dim: 1280, final_dim: 1024,\n"
      "        encoder_ffn_embed_dim: 5120, encoder_attention_heads: 16,\n"
      "        extractor_mode: layer_norm, layer_norm_first: true}\n");
  REQUIRE(largest);
  CHECK(parameters_of(*largest) == 963'805'568);  // X-Large, 964 M
  const auto stacked = network_of(
      "model: {_name: data2vec_audio, extractor_mode: layer_norm, pos_conv_depth: 5, conv_pos: "
      "95,\n"
      "        final_dim: 256}\n");
  REQUIRE(stacked);
  CHECK(parameters_of(*stacked) == 93'164'288 + 768 * 256 + 256);  // data2vec-audio-base
  CHECK_FALSE(network_of("model: {_name: wav2vec2, layer_type: conformer}\n"));
}

TEST_CASE("a checkpoint whose size no key states is an interval over those published") {
  const auto found = network_of(
      "criterion: {_name: ctc}\nmodel: {_name: wav2vec_ctc, w2v_path: /checkpoints/x.pt, dropout: "
      "0.0}\n");
  REQUIRE(found);
  CHECK(found->loose);
  CHECK(parameters_of(*found) == 315'467'936);
  CHECK(ends_of(*found) == std::vector<std::int64_t>{94'393'244, 2'178'466'064});
  const auto pictures =
      network_of("model: {_name: mae_image_classification, model_path: /checkpoints/x.pt}\n");
  REQUIRE(pictures);
  CHECK(ends_of(*pictures) ==
        std::vector<std::int64_t>{86'567'656, 632'045'800});  // ViT-B and ViT-H
}

TEST_CASE("RoBERTa's sizes stand in its name, its words in a dictionary beside the data") {
  const auto base = network_of("task: {_name: masked_lm}\nmodel: {_name: roberta, dropout: 0.1}\n");
  REQUIRE(base);
  // roberta-base with a classifier of two, without a type of tokens
  CHECK(parameters_of(*base) == 124'647'170 - 768);
  CHECK(base->open == std::vector<std::string>{"vocab_size"});
  const auto large = network_of("model: {_name: roberta_large}\n");
  REQUIRE(large);
  CHECK(parameters_of(*large) == 355'361'794 - 1'024);  // roberta-large
  const auto text = network_of(
      "model: {_name: data2vec_text, transformer: {max_source_positions: 512, encoder: {\n"
      "        embed_dim: 768, ffn_embed_dim: 3072, layers: 12, attention_heads: 12}}}\n");
  REQUIRE(text);
  CHECK(text->missing == std::vector<std::string>{"the teacher, an average of the encoder"});
}

TEST_CASE("an encoder of clips is the size that its name stands for") {
  const auto giant = network_of(
      "app: vjepa\ndata: {batch_size: 24, crop_size: 256, patch_size: 16, tubelet_size: 2}\n"
      "model: {model_name: vit_giant_xformers, pred_depth: 12}\n");
  REQUIRE(giant);
  CHECK(parameters_of(*giant) == 1'012'173'952);
  const auto probed = network_of(
      "experiment: {data: {resolution: 384}}\n"
      "model_kwargs: {pretrain_kwargs: {encoder: {model_name: vit_huge, tubelet_size: 2}}}\n");
  REQUIRE(probed);
  CHECK(parameters_of(*probed) == 631'648'000);
}

TEST_CASE("a BERT of Megatron reads both ways and has a head of masked words") {
  const auto found = network_of(
      "model: {megatron_amp_O2: true, bert_binary_head: false, num_layers: 12, hidden_size: 768,\n"
      "        num_attention_heads: 12, ffn_hidden_size: 3072, max_position_embeddings: 512,\n"
      "        tokenizer: {library: megatron, type: BertWordPieceLowerCase}}\n");
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("causal") == expr::Value(false));
  CHECK(parameters_of(*found) == 109'536'000);  // 110 M
}

TEST_CASE("vision transformers by their sizes") {
  const auto large = network_of(
      "model: {vision_pretraining_type: classify, num_classes: 1000, patch_dim: 16, img_h: 224,\n"
      "        img_w: 224, num_layers: 24, hidden_size: 1024, ffn_hidden_size: 4096,\n"
      "        num_attention_heads: 16}\n");
  REQUIRE(large);
  // ViT-L/16 has 304,326,632; here are seven more class tokens and a dense layer before the
  // classes.
  CHECK(parameters_of(*large) == 304'326'632 + 2 * 7 * 1024 + 1024 * 1024 + 1024);
  const auto built = network_of(
      "net: {_target_: timm.models.VisionTransformer, img_size: 32, patch_size: 8, depth: 6,\n"
      "      embed_dim: 768, num_heads: 6, num_classes: 10}\n");
  REQUIRE(built);
  CHECK_FALSE(built->assumed);
  CHECK(parameters_of(*built) == 42'698'506);
  const auto stated = network_of(
      "model: {type: OurClassifier, img_size: 224, patch_size: 16, embed_dim: 768, depth: 12,\n"
      "        num_heads: 12, num_classes: 1000}\n");
  REQUIRE(stated);
  CHECK(stated->loose);
  CHECK(parameters_of(*stated) == 86'567'656);  // ViT-B/16
  CHECK_FALSE(
      network_of("model: {img_size: 224, patch_size: 4, embed_dim: 96, depth: 12, num_heads: 3,\n"
                 "        window_size: 7}\n"));
}

TEST_CASE("an image encoder with masked copies is counted without what reads them") {
  const auto found = network_of(
      "model: {_name: data2vec_multi, depth: 24, embed_dim: 1024, num_heads: 16,\n"
      "        modalities: {image: {prenet_depth: 0, decoder: {decoder_dim: 1024}}}}\n");
  REQUIRE(found);
  CHECK(parameters_of(*found) == 303'302'657);  // ViT-L without classes, and one output
  CHECK(found->missing.size() == 2);
}

TEST_CASE("a teacher is another network, and a tokenizer is none") {
  const auto found = network_of(
      "teacher: {model_name: resnet152}\nstudent: {model_name: resnet18}\n"
      "tokenizer: {model_name: bert-base-uncased}\n");
  REQUIRE(found);
  CHECK(found->entry.id == "resnet18");
  CHECK(found->missing == std::vector<std::string>{"another network (/teacher)"});
}

TEST_CASE("every form names a family and its dimensions") {
  for (const NetworkForm* form : shipped_catalog().all_described<NetworkForm>()) {
    CAPTURE(form->id);
    if (form->family.empty()) continue;  // names a model, whose family it is
    StatedNetwork network;
    network.form = form;
    for (const FormDimension& dimension : form->contents->dimensions)
      network.dimensions.insert_or_assign(dimension.dimension, std::int64_t{8});
    for (const OpenDimension& open : form->contents->open)
      network.dimensions.insert_or_assign(open.dimension, std::int64_t{8});
    const auto named = network.dimensions;
    const auto found = known_models().with_network(network, "train.yaml").network();
    REQUIRE(found);
    for (const auto& [dimension, value] : named) {
      CAPTURE(dimension);
      CHECK(found->entry.dimensions.contains(dimension));
    }
  }
}

TEST_CASE("a model that is named wins over the geometry") {
  const Document config = config_of(kNemoLlama);
  const auto network = stated_network(config, shipped_catalog().all_described<NetworkForm>());
  REQUIRE(network);
  const KnownModels models = known_models().with_network(*network, config.path());
  TrainingPlan plan = shipped_plan();
  CHECK(ResolvedRun::of(plan, &models, {}).model()->entry.id == "megatron-decoder");
  state(plan.model, "meta-llama/Llama-3.2-1B");
  CHECK(ResolvedRun::of(plan, &models, {}).model()->entry.id == "llama-3.2-1b");
  state(plan.model, "nobody/unheard-of");
  CHECK(ResolvedRun::of(plan, &models, {}).model()->entry.id == "megatron-decoder");
}

TEST_CASE("a file may be named like the model it is for, where nothing else names one") {
  const KnownModels models = known_models().with_file_name("defaults/unsloth_Qwen2.5-7B.yaml");
  TrainingPlan plan = shipped_plan();
  const ResolvedRun run = ResolvedRun::of(plan, &models, {});
  REQUIRE(run.model() != nullptr);
  CHECK(run.model()->entry.id == "qwen2.5-7b");
  CHECK(run.model()->assumed);
  TrainingPlan other = shipped_plan();
  state(other.num_hidden_layers, 48);
  CHECK(ResolvedRun::of(other, &models, {}).model() == nullptr);
  state(plan.model, "nobody/unheard-of");
  CHECK(ResolvedRun::of(plan, &models, {}).model() == nullptr);
  CHECK_FALSE(known_models().with_file_name("configs/train.yaml").network());
  CHECK_FALSE(known_models().with_file_name("pipelines/llm.py").network());
}

TEST_CASE("a model that nobody described has the size in its name") {
  TrainingPlan plan = shipped_plan();
  state(plan.model, "someone/new-thing-13B-chat");
  const ResolvedRun run = ResolvedRun::of(plan, &known_models(), {});
  REQUIRE(run.facts().parameters);
  CHECK(run.facts().parameters->value == 13'000'000'000);
  CHECK(run.facts().parameters->from.origin == Origin::assumed);
}

/// A run whose memory is known to both ends.
TrainingPlan small_run() {
  TrainingPlan plan = shipped_plan();
  state(plan.per_device_batch_size, 1);
  state(plan.sequence_length, 2048);
  state(plan.world_size, 1);
  state(plan.mixed_precision, "bf16");
  state(plan.optimizer, "adamw");
  state(plan.activation_checkpointing, "none");
  return plan;
}

VramEstimate vram_of_run(const TrainingPlan& plan, const KnownModels& models) {
  const Estimate result = estimate(PlanOn{.plan = &plan, .models = &models});
  REQUIRE(result.vram);
  return *result.vram;
}

TEST_CASE("parts of a job that nobody models leave a lower bound that names them") {
  TrainingPlan plan = small_run();
  state(plan.model, "meta-llama/Llama-3.2-1B");
  CHECK_FALSE(vram_of_run(plan, known_models()).lower_bound_only);
  plan.unmodelled_parts = Fact<TextList>{{"a teacher"}, {}};
  const VramEstimate vram = vram_of_run(plan, known_models());
  CHECK(vram.lower_bound_only);
  CHECK_FALSE(vram.bounded_above);
  CHECK(vram.explanation.find("the job also has a teacher") != std::string::npos);
  plan.vram_other = Fact<Bytes>{Bytes::gib(2), {}};
  CHECK_FALSE(vram_of_run(plan, known_models()).lower_bound_only);
}

TEST_CASE("an open dimension widens the interval to both of its ends") {
  const Document config = config_of(kNemoLlama);
  const auto network = stated_network(config, shipped_catalog().all_described<NetworkForm>());
  REQUIRE(network);
  const KnownModels models = known_models().with_network(*network, config.path());
  const auto with_words = [&](std::int64_t words) {
    TrainingPlan plan = small_run();
    state(plan.vocab_size, words);
    return vram_of_run(plan, models);
  };
  const VramEstimate open = vram_of_run(small_run(), models);
  CHECK(open.needed.low == with_words(32'000).needed.low);
  CHECK(open.needed.high == with_words(256'000).needed.high);
  CHECK(open.needed.central == with_words(50'257).needed.central);
}

TEST_CASE("of networks that a key beside them chooses from, only the one it names is there") {
  const auto with = [](const std::string& name) {
    return network_of("architecture:\n  model_name: " + name +
                      "\n  quantizer:\n    codebook: 1024\n    width: 64\n"
                      "  prior:\n    block_size: 512\n    n_layer: 12\n    n_head: 16\n"
                      "    n_embd: 1024\n    vocab_size: 1024\n");
  };
  CHECK(with("prior"));
  CHECK(with("something_else"));  // which names none of them
  CHECK_FALSE(with("quantizer"));
}

TEST_CASE("the encoder that a recipe takes from a hub is a part of its network") {
  const auto found = network_of(
      "hub: facebook/wav2vec2-base\nwav2vec2:\n  source: facebook/wav2vec2-base\n"
      "  output_norm: true\n  freeze: false\n  save_path: save/encoder\n");
  REQUIRE(found);
  CHECK(found->entry.family == "wav2vec2");
  CHECK(found->missing == std::vector<std::string>{"what is built on the encoder"});
  CHECK_FALSE(network_of("corpus:\n  source: facebook/wav2vec2-base\n  save_path: data\n"));
}

}  // namespace stated_network_test
