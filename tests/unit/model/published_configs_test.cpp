// The config.json of checkpoints as their authors publish them: the family it names and the
// parameters that follow.

#include "described_config.h"
#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

struct Published {
  const char* family;
  std::int64_t parameters;
  const char* config;
};

// Fields that shape the network, of the files on the hub; the rest is left out.
constexpr Published kPublished[] = {
    {"t5", 247'577'856,  // google/flan-t5-base
     R"({"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "d_ff": 2048,
         "d_kv": 64, "d_model": 768, "num_heads": 12, "num_layers": 12, "num_decoder_layers": 12,
         "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false, "vocab_size": 32128})"},
    {"parallel-decoder", 6'921'720'704,  // tiiuae/falcon-7b
     R"({"architectures": ["FalconForCausalLM"], "model_type": "falcon", "bias": false,
         "hidden_size": 4544, "multi_query": true, "new_decoder_architecture": false,
         "num_attention_heads": 71, "num_hidden_layers": 32, "num_kv_heads": 71,
         "parallel_attn": true, "vocab_size": 65024})"},
    {"parallel-decoder", 41'303'293'952,  // tiiuae/falcon-40b
     R"({"architectures": ["FalconForCausalLM"], "model_type": "falcon", "bias": false,
         "hidden_size": 8192, "multi_query": true, "new_decoder_architecture": true,
         "num_attention_heads": 128, "num_hidden_layers": 60, "num_kv_heads": 8,
         "parallel_attn": true, "vocab_size": 65024})"},
    {"classic-decoder", 331'196'416,  // facebook/opt-350m
     R"({"architectures": ["OPTForCausalLM"], "model_type": "opt", "hidden_size": 1024,
         "ffn_dim": 4096, "num_attention_heads": 16, "num_hidden_layers": 24,
         "word_embed_proj_dim": 512, "do_layer_norm_before": false, "vocab_size": 50272,
         "max_position_embeddings": 2048})"},
    {"classic-decoder", 559'214'592,  // bigscience/bloom-560m
     R"({"architectures": ["BloomForCausalLM"], "model_type": "bloom", "n_embed": 1024,
         "n_layer": 24, "num_attention_heads": 16, "vocab_size": 250880})"},
    {"tiled-vision", 256'484'928,  // HuggingFaceTB/SmolVLM-256M-Instruct
     R"({"architectures": ["Idefics3ForConditionalGeneration"], "model_type": "idefics3",
         "scale_factor": 4, "tie_word_embeddings": false,
         "text_config": {"model_type": "llama", "hidden_size": 576, "intermediate_size": 1536,
                         "num_hidden_layers": 30, "num_attention_heads": 9, "head_dim": 64,
                         "num_key_value_heads": 3, "vocab_size": 49280},
         "vision_config": {"model_type": "idefics3_vision", "hidden_size": 768, "image_size": 512,
                           "intermediate_size": 3072, "num_attention_heads": 12,
                           "num_hidden_layers": 12, "patch_size": 16}})"},
    {"pixtral", 24'011'361'280,  // mistralai/Mistral-Small-3.1-24B-Base-2503
     R"({"architectures": ["Mistral3ForConditionalGeneration"], "model_type": "mistral3",
         "multimodal_projector_bias": false, "spatial_merge_size": 2,
         "text_config": {"model_type": "mistral", "hidden_size": 5120, "intermediate_size": 32768,
                         "num_hidden_layers": 40, "num_attention_heads": 32, "head_dim": 128,
                         "num_key_value_heads": 8, "hidden_act": "silu", "vocab_size": 131072},
         "vision_config": {"model_type": "pixtral", "hidden_size": 1024, "image_size": 1540,
                           "intermediate_size": 4096, "num_attention_heads": 16,
                           "num_hidden_layers": 24, "patch_size": 14, "head_dim": 64}})"},
    {"mllama", 10'670'220'835,  // meta-llama/Llama-3.2-11B-Vision-Instruct
     R"({"architectures": ["MllamaForConditionalGeneration"], "model_type": "mllama",
         "text_config": {"model_type": "mllama_text_model", "hidden_size": 4096,
                         "intermediate_size": 14336, "num_hidden_layers": 40,
                         "num_attention_heads": 32, "num_key_value_heads": 8,
                         "hidden_act": "silu", "vocab_size": 128256,
                         "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38]},
         "vision_config": {"model_type": "mllama_vision_model", "hidden_size": 1280,
                           "attention_heads": 16, "image_size": 560, "intermediate_size": 5120,
                           "max_num_tiles": 4, "num_global_layers": 8, "num_hidden_layers": 32,
                           "patch_size": 14}})"},
    {"gemma", 2'923'466'480,  // google/paligemma-3b-pt-224
     R"({"architectures": ["PaliGemmaForConditionalGeneration"], "model_type": "paligemma",
         "hidden_size": 2048, "vocab_size": 257152, "projection_dim": 2048,
         "text_config": {"hidden_size": 2048, "intermediate_size": 16384, "model_type": "gemma",
                         "num_attention_heads": 8, "num_hidden_layers": 18,
                         "num_key_value_heads": 1, "vocab_size": 257216},
         "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "image_size": 224,
                           "model_type": "siglip_vision_model", "num_attention_heads": 16,
                           "num_hidden_layers": 27, "patch_size": 14}})"},
    {"gemma-2-3", 4'300'079'472,  // google/gemma-3-4b-it
     R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
         "mm_tokens_per_image": 256,
         "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
                         "model_type": "gemma3_text", "num_hidden_layers": 34},
         "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
                           "model_type": "siglip_vision_model", "num_attention_heads": 16,
                           "num_hidden_layers": 27, "patch_size": 14}})"},
    {"tiled-vision", 938'193'024,  // OpenGVLab/InternVL3-1B
     R"({"architectures": ["InternVLChatModel"], "model_type": "internvl_chat",
         "llm_config": {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
                        "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
                        "num_attention_heads": 14, "num_key_value_heads": 2,
                        "hidden_act": "silu", "vocab_size": 151674, "tie_word_embeddings": false},
         "vision_config": {"architectures": ["InternVisionModel"], "model_type": "intern_vit_6b",
                           "hidden_size": 1024, "image_size": 448, "intermediate_size": 4096,
                           "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14,
                           "qk_normalization": false, "qkv_bias": true}})"},
    {"llava", 7'063'427'072,  // llava-hf/llava-1.5-7b-hf
     R"({"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava",
         "image_seq_length": 576, "vision_feature_layer": -2,
         "text_config": {"architectures": ["LlamaForCausalLM"], "model_type": "llama",
                         "max_position_embeddings": 4096, "vocab_size": 32064},
         "vision_config": {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
                           "model_type": "clip_vision_model", "num_attention_heads": 16,
                           "num_hidden_layers": 24, "patch_size": 14, "projection_dim": 768}})"},
    {"tiled-vision", 7'566'747'648,  // llava-hf/llava-v1.6-mistral-7b-hf
     R"({"architectures": ["LlavaNextForConditionalGeneration"], "model_type": "llava_next",
         "text_config": {"model_type": "mistral", "intermediate_size": 14336,
                         "num_key_value_heads": 8, "vocab_size": 32064},
         "vision_config": {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
                           "model_type": "clip_vision_model", "num_attention_heads": 16,
                           "num_hidden_layers": 24, "patch_size": 14}})"},
    {"tiled-vision", 7'944'373'760,  // OpenGVLab/InternVL3-8B-hf
     R"({"architectures": ["InternVLForConditionalGeneration"], "model_type": "internvl",
         "text_config": {"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
                         "num_hidden_layers": 28, "num_attention_heads": 28,
                         "num_key_value_heads": 4, "hidden_act": "silu", "vocab_size": 151674},
         "vision_config": {"model_type": "internvl_vision", "hidden_size": 1024,
                           "image_size": [448, 448], "intermediate_size": 4096,
                           "num_attention_heads": 16, "num_hidden_layers": 24,
                           "patch_size": [14, 14], "use_qk_norm": false}})"},
    {"qwen-vision", 2'208'985'600,  // Qwen/Qwen2-VL-2B-Instruct
     R"({"architectures": ["Qwen2VLForConditionalGeneration"], "model_type": "qwen2_vl",
         "hidden_size": 1536, "num_hidden_layers": 28, "num_attention_heads": 12,
         "num_key_value_heads": 2, "intermediate_size": 8960, "hidden_act": "silu",
         "vocab_size": 151936, "tie_word_embeddings": true,
         "vision_config": {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "num_heads": 16,
                           "hidden_size": 1536, "patch_size": 14}})"},
    {"qwen-vision", 3'754'622'976,  // Qwen/Qwen2.5-VL-3B-Instruct
     R"({"architectures": ["Qwen2_5_VLForConditionalGeneration"], "model_type": "qwen2_5_vl",
         "hidden_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 16,
         "num_key_value_heads": 2, "intermediate_size": 11008, "hidden_act": "silu",
         "vocab_size": 151936, "tie_word_embeddings": true,
         "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420,
                           "num_heads": 16, "out_hidden_size": 2048, "patch_size": 14,
                           "fullatt_block_indexes": [7, 15, 23, 31]}})"},
    {"qwen-vision", 2'127'532'032,  // Qwen/Qwen3-VL-2B-Instruct
     R"({"architectures": ["Qwen3VLForConditionalGeneration"], "model_type": "qwen3_vl",
         "text_config": {"hidden_size": 2048, "num_hidden_layers": 28, "num_attention_heads": 16,
                         "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 6144,
                         "hidden_act": "silu", "vocab_size": 151936, "tie_word_embeddings": true},
         "vision_config": {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096,
                           "num_heads": 16, "num_position_embeddings": 2304, "patch_size": 16,
                           "out_hidden_size": 2048}})"},
    {"deberta-v2", 70'830'722,  // microsoft/deberta-v3-xsmall
     R"({"model_type": "deberta-v2", "hidden_size": 384, "num_hidden_layers": 12,
         "num_attention_heads": 6, "intermediate_size": 1536, "hidden_act": "gelu",
         "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "relative_attention": true,
         "max_position_embeddings": 512, "max_relative_positions": -1, "position_buckets": 256,
         "norm_rel_ebd": "layer_norm", "share_att_key": true, "pos_att_type": "p2c|c2p",
         "position_biased_input": false, "type_vocab_size": 0, "vocab_size": 128100})"},
    {"deberta", 139'193'858,  // microsoft/deberta-base
     R"({"model_type": "deberta", "hidden_size": 768, "num_hidden_layers": 12,
         "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu",
         "max_position_embeddings": 512, "relative_attention": true, "max_relative_positions": -1,
         "pos_att_type": ["c2p", "p2c"], "position_biased_input": false, "type_vocab_size": 0,
         "vocab_size": 50265})"},
    {"whisper", 37'760'640,  // openai/whisper-tiny
     R"({"architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper",
         "d_model": 384, "encoder_layers": 4, "decoder_layers": 4, "encoder_attention_heads": 6,
         "decoder_attention_heads": 6, "encoder_ffn_dim": 1536, "decoder_ffn_dim": 1536,
         "num_hidden_layers": 4, "num_mel_bins": 80, "max_source_positions": 1500,
         "max_target_positions": 448, "vocab_size": 51865, "activation_function": "gelu",
         "dropout": 0.0})"},
    {"wav2vec2", 315'471'520,  // facebook/wav2vec2-large-960h-lv60-self
     R"({"architectures": ["Wav2Vec2ForCTC"], "model_type": "wav2vec2", "hidden_size": 1024,
         "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096,
         "conv_bias": true, "conv_dim": [512, 512, 512, 512, 512, 512, 512],
         "conv_kernel": [10, 3, 3, 3, 3, 2, 2], "conv_stride": [5, 2, 2, 2, 2, 2, 2],
         "do_stable_layer_norm": true, "feat_extract_norm": "layer", "hidden_act": "gelu",
         "num_conv_pos_embeddings": 128, "num_conv_pos_embedding_groups": 16, "vocab_size": 32})"},
    {"wav2vec2", 94'396'320,  // facebook/hubert-base-ls960
     R"({"architectures": ["HubertModel"], "model_type": "hubert", "hidden_size": 768,
         "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
         "conv_bias": false, "do_stable_layer_norm": false, "feat_extract_norm": "group",
         "vocab_size": 32})"},
    {"clip", 149'620'737,  // openai/clip-vit-base-patch16
     R"({"architectures": ["CLIPModel"], "projection_dim": 512,
         "text_config": {"hidden_size": 512, "num_hidden_layers": 12, "num_attention_heads": 8,
                         "intermediate_size": 2048, "vocab_size": 49408,
                         "max_position_embeddings": 77, "hidden_act": "quick_gelu"},
         "vision_config": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                           "intermediate_size": 3072, "patch_size": 16, "image_size": 224,
                           "hidden_act": "quick_gelu"}})"},
    {"dinov2", 22'056'576,  // facebook/dinov2-small
     R"({"architectures": ["Dinov2Model"], "hidden_size": 384, "num_hidden_layers": 12,
         "num_attention_heads": 6, "mlp_ratio": 4, "image_size": 518, "patch_size": 14,
         "use_swiglu_ffn": false, "qkv_bias": true, "hidden_act": "gelu", "num_channels": 3})"},
    {"transformers-vit", 86'567'656 - 998 * 769,  // google/vit-base-patch16-224, of two classes
     R"({"architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": 768,
         "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
         "image_size": 224, "patch_size": 16, "num_channels": 3, "hidden_act": "gelu",
         "id2label": {"0": "cat", "1": "dog"}})"},
    {"transformers-swin", 28'288'354 - 997 * 769,  // swin-tiny-patch4-window7-224, of three classes
     R"({"architectures": ["SwinForImageClassification"], "model_type": "swin", "embed_dim": 96,
         "depths": [2, 2, 6, 2], "num_heads": [3, 6, 12, 24], "window_size": 7, "mlp_ratio": 4.0,
         "hidden_size": 768, "image_size": 224, "patch_size": 4, "drop_path_rate": 0.1,
         "id2label": {"0": "a", "1": "b", "2": "c"}})"},
    {"llama", 1'484'916'736,  // allenai/OLMo-2-0425-1B
     R"({"architectures": ["Olmo2ForCausalLM"], "hidden_size": 2048, "num_hidden_layers": 16,
         "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 8192,
         "hidden_act": "silu", "tie_word_embeddings": false, "vocab_size": 100352})"},
    {"llama-4", 107'769'861'120,  // meta-llama/Llama-4-Scout-17B-16E
     R"({"architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4",
         "text_config": {"hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
                         "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192,
                         "intermediate_size_mlp": 16384, "num_local_experts": 16,
                         "num_experts_per_tok": 1, "interleave_moe_layer_step": 1,
                         "use_qk_norm": true, "vocab_size": 202048},
         "vision_config": {"hidden_size": 1408, "num_hidden_layers": 34}})"},
    {"stable-diffusion-unet", 859'520'964,  // stable-diffusion-v1-5/stable-diffusion-v1-5, unet/
     R"({"_class_name": "UNet2DConditionModel", "attention_head_dim": 8,
         "block_out_channels": [320, 640, 1280, 1280], "cross_attention_dim": 768,
         "down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D",
                              "CrossAttnDownBlock2D", "DownBlock2D"],
         "in_channels": 4, "layers_per_block": 2, "out_channels": 4, "sample_size": 64})"},
    {"stable-diffusion-unet", 2'567'463'684,  // stabilityai/stable-diffusion-xl-base-1.0, unet/
     R"({"_class_name": "UNet2DConditionModel", "attention_head_dim": [5, 10, 20],
         "block_out_channels": [320, 640, 1280], "cross_attention_dim": 2048,
         "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
         "in_channels": 4, "layers_per_block": 2, "norm_num_groups": 32, "out_channels": 4,
         "projection_class_embeddings_input_dim": 2816, "sample_size": 128,
         "transformer_layers_per_block": [1, 2, 10], "use_linear_projection": true})"},
    {"bert-family", 66'955'010,  // distilbert/distilbert-base-uncased with two classes
     R"({"architectures": ["DistilBertForSequenceClassification"], "activation": "gelu",
         "attention_dropout": 0.1, "dim": 768, "dropout": 0.1, "hidden_dim": 3072,
         "max_position_embeddings": 512, "n_heads": 12, "n_layers": 6, "vocab_size": 30522})"},
    {"llama", 3'075'098'624,  // HuggingFaceTB/SmolLM3-3B
     R"({"architectures": ["SmolLM3ForCausalLM"], "hidden_size": 2048, "intermediate_size": 11008,
         "num_attention_heads": 16, "num_hidden_layers": 36, "num_key_value_heads": 4,
         "tie_word_embeddings": true, "vocab_size": 128256})"},
    {"mixture-of-experts", 20'914'757'184,  // openai/gpt-oss-20b
     R"({"architectures": ["GptOssForCausalLM"], "head_dim": 64, "hidden_size": 2880,
         "intermediate_size": 2880, "num_attention_heads": 64, "num_experts_per_tok": 4,
         "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32,
         "tie_word_embeddings": false, "vocab_size": 201088})"},
};

}  // namespace

TEST_CASE("a published config.json gives the published parameters") {
  ModelLibrary library(model_files());
  for (const Published& published : kPublished) {
    CAPTURE(published.family);
    const auto found = described(library, published.config);
    REQUIRE(found);
    CHECK(found->program->id == published.family);
    std::map<std::string, expr::Value> dimensions = found->entry.dimensions;
    dimensions["batch"] = std::int64_t{1};
    Result<Tape> tape = run_program(*found->program, dimensions, {}, {});
    if (!tape) FAIL_CHECK(tape.error().to_string());
    if (tape) CHECK(summarise(*tape).parameters == published.parameters);
  }
}
