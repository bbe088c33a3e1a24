#include "model/model_names.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

/// Id of the model found under `name`; empty when there is none or it is only a family.
std::string found(std::string_view name) {
  static ModelLibrary library(model_files());
  const auto match = library.find(name);
  return match && !match->is_family ? match->entry.id : "";
}

}  // namespace

TEST_CASE("a name is compared without case and separators, its dots kept") {
  CHECK(comparable_name("Meta-Llama_3.1 8B") == "meta-llama-3.1-8b");
  CHECK(comparable_name("llama3_1_8b") == "llama-3-1-8b");
  CHECK(comparable_name("__ViT__B/16--") == "vit-b-16");
  CHECK(name_key("llama-3.1-8b") == "llama-3-1-8b");
}

TEST_CASE("an underscore may stand for a dot, but never move it") {
  CHECK(same_name("llama-3-1-8b", "llama-3.1-8b"));
  CHECK(same_name("qwen-1-8b", "qwen-1.8b"));
  CHECK_FALSE(same_name("llama-3-1.8b", "llama-3.1-8b"));
  CHECK_FALSE(same_name("llama-3.18b", "llama-3.1-8b"));
}

TEST_CASE("hub ids, folders and components of frameworks name one model") {
  CHECK(found("meta-llama/Llama-3.2-1B") == "llama-3.2-1b");
  CHECK(found("NousResearch/Meta-Llama-3-8B") == "llama-3-8b");
  CHECK(found("meta-llama/Meta-Llama-3.1-8B-Instruct") == "llama-3.1-8b");
  CHECK(found("meta-llama/Llama-2-7b-chat-hf") == "llama-2-7b");
  CHECK(found("/data/checkpoints/Llama-2-7b-hf/") == "llama-2-7b");
  CHECK(found("~/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B/snapshots/0a1b2c") ==
        "qwen2.5-7b");
  CHECK(found("torchtune.models.llama3_1.llama3_1_8b") == "llama-3.1-8b");
  CHECK(found("lora_llama3_2_3b") == "llama-3.2-3b");
  CHECK(found("qlora_llama2_7b") == "llama-2-7b");
  CHECK(found("unsloth/Llama-3.2-3B-bnb-4bit") == "llama-3.2-3b");
  CHECK(found("Qwen/Qwen3-4B-Instruct-2507") == "qwen3-4b");
  CHECK(found("torchvision.models.resnet50") == "resnet50");
  CHECK(found("resnet50.a1_in1k") == "resnet50");
  CHECK(found("mistralai/Mistral-7B-Instruct-v0.1") == "mistral-7b");
}

TEST_CASE("a model listed with its organisation is found without it") {
  CHECK(found("Phi-3-mini-4k-instruct") == "phi-3-mini");
  CHECK(found("checkpoints/microsoft/Phi-3-mini-4k-instruct") == "phi-3-mini");
  CHECK(found("FLUX.1-dev") == "flux.1-dev");
  CHECK(found("TinyLlama-1.1B-intermediate-step-1431k-3T") == "tinyllama-1.1b");
}

TEST_CASE("a mirror says how its weights are stored, also where the name states no size") {
  CHECK(found("unsloth/Mistral-Nemo-Base-2407-bnb-4bit") == "mistral-nemo-12b");
  CHECK(found("unsloth/Phi-3.5-mini-instruct-bnb-4bit") == "phi-3-mini");
  CHECK(found("unsloth/Phi-4-mini-instruct-unsloth-bnb-4bit") == "phi-4-mini");
  CHECK(found("unsloth/phi-4-unsloth-bnb-4bit") == "phi-4");
  CHECK(found("org/resnet50-int8") == "resnet50");
  CHECK(found("bnb-4bit").empty());
}

TEST_CASE("a file named after a mirror's model joins both by an underscore") {
  CHECK(found("unsloth_Phi-3-medium-4k-instruct") == "phi-3-medium");
  CHECK(found("unsloth_Phi-3.5-mini-instruct") == "phi-3-mini");
  CHECK(found("unsloth_Magistral-Small-2509-unsloth-bnb-4bit") == "mistral-small-3.1-24b");
  CHECK(found("OuteAI_Llama-OuteTTS-1.0-1B") == "outetts-1.0-1b");
  CHECK(found("unsloth").empty());
}

TEST_CASE("models of one series and another size, kind or release are told apart") {
  CHECK(found("mistralai/Mistral-Small-Instruct-2409") == "mistral-small-22b");
  CHECK(found("mistralai/Mistral-Small-24B-Instruct-2501") == "mistral-small-24b");
  CHECK(found("mistralai/Mistral-Small-3.1-24B-Instruct-2503") == "mistral-small-3.1-24b");
  CHECK(found("mistralai/Ministral-8B-Instruct-2410") == "ministral-8b");
  CHECK(found("mistralai/Ministral-3-8B-Instruct-2512") == "ministral-3-8b");
  CHECK(found("unsloth/Ministral-3-3B-Instruct-2512") == "ministral-3-3b");
  CHECK(found("Qwen/Qwen3-0.6B") == "qwen3-0.6b");
  CHECK(found("Qwen/Qwen3-Embedding-0.6B") == "qwen3-embedding-0.6b");
  CHECK(found("Qwen/Qwen3-Reranker-0.6B") == "qwen3-reranker-0.6b");
  CHECK(found("Qwen/Qwen3-VL-8B-Instruct") == "qwen3-vl-8b");
  CHECK(found("LGAI-EXAONE/EXAONE-3.5-32B-Instruct") == "exaone-3.5-32b");
  CHECK(found("LGAI-EXAONE/EXAONE-4.0-32B") == "exaone-4.0-32b");
  CHECK(found("internlm/internlm2_5-1_8b-chat") == "internlm2-1.8b");
  CHECK(found("zai-org/GLM-4.5-Air") == "glm-4.5-air");
  CHECK(found("zai-org/GLM-4.6") == "glm-4.5");
  CHECK(found("zai-org/GLM-4.6V") == "glm-4.5v");
  CHECK(found("zai-org/GLM-4.7-Flash") == "glm-4.7-flash");
  CHECK(found("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B") == "deepseek-r1-qwen3-8b");
  CHECK(found("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B") == "deepseek-r1-distill-qwen-1.5b");
  CHECK(found("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B") == "qwen2.5-7b");
  CHECK(found("deepseek-ai/DeepSeek-V3.2-Exp").empty());
  CHECK(found("ibm-granite/granite-4.0-micro") == "granite-4.0-micro");
  CHECK(found("ibm-granite/granite-4.0-h-micro").empty());
  CHECK(found("ibm-granite/granite-4.0-350m") == "granite-4.0-350m");
  CHECK(found("ibm-granite/granite-4.0-h-350m").empty());
  CHECK(found("unsloth_gemma-4-31B-it") == "gemma-4-31b");
  CHECK(found("google/gemma-4-26B-A4B-it") == "gemma-4-26b-a4b");
  CHECK(found("google/gemma-4-E4B-it").empty());
  CHECK(found("unsloth_functiongemma-270m-it") == "gemma-3-270m");
  CHECK(found("unsloth_medgemma-4b-it") == "gemma-3-4b");
  CHECK(found("google/medgemma-27b-it") == "gemma-3-27b");
  CHECK(found("google/medgemma-27b-text-it") == "medgemma-27b-text");
  CHECK(found("tencent/Hunyuan-7B-Instruct") == "hunyuan-7b");
  CHECK(found("tencent/Hunyuan-A13B-Instruct").empty());
}

TEST_CASE("an organisation's own encoder is not the one whose name it shares") {
  CHECK(found("klue/bert-base") == "klue-bert-base");
  CHECK(found("klue/roberta-base") == "klue-roberta-base");
  CHECK(found("FacebookAI/roberta-base") == "roberta-base");
  CHECK(found("BAAI/bge-base-zh-v1.5") == "bert-base-chinese");
  CHECK(found("BAAI/bge-base-en-v1.5") == "bert-base-uncased");
  CHECK(found("intfloat/multilingual-e5-small") == "multilingual-e5-small");
  CHECK(found("intfloat/e5-small-v2") == "bge-small-en-v1.5");
}

TEST_CASE("config names of the zoos of dense prediction name one model") {
  CHECK(found("isanet_r50-d8") == "isanet-r50-d8");
  CHECK(found("dnlnet_r101-d8") == "dnl-r101-d8");
  CHECK(found("faster_rcnn_hrnetv2p_w32") == "faster-rcnn-hrnetv2p-w32");
  CHECK(found("mask_rcnn_regnetx-3.2GF_fpn_mstrain") == "mask-rcnn-regnetx-3.2gf-fpn");
  CHECK(found("mask_rcnn_r50_fpn_gn_ws-all_20_23") == "mask-rcnn-r50-fpn-gn-ws-all");
  CHECK(found("COCO-InstanceSegmentation/mask_rcnn_R_50_C4_3x.yaml") ==
        "detectron2-mask-rcnn-r50-c4");
  CHECK(found("COCO-PanopticSegmentation/panoptic_fpn_R_101_3x.yaml") ==
        "detectron2-panoptic-fpn-r101");
}

TEST_CASE("encoders, speech, pairs and diffusion go by their hub's names") {
  CHECK(found("microsoft/deberta-v3-base") == "deberta-v3-base");
  CHECK(found("microsoft/mdeberta-v3-base") == "mdeberta-v3-base");
  CHECK(found("microsoft/deberta-large") == "deberta-large");
  CHECK(found("openai/whisper-small") == "whisper-small");
  CHECK(found("openai/whisper-small.en") == "whisper-small.en");
  CHECK(found("openai/whisper-large-v3-turbo") == "whisper-large-v3-turbo");
  CHECK(found("openai/clip-vit-large-patch14-336") == "clip-vit-large-patch14-336");
  CHECK(found("facebook/dinov2-giant") == "dinov2-giant");
  CHECK(found("dinov2_vitb14_reg") == "dinov2-with-registers-base");
  CHECK(found("stabilityai/stable-diffusion-2-1") == "stable-diffusion-2.1-unet");
  CHECK(found("stabilityai/stable-diffusion-xl-base-1.0") == "stable-diffusion-xl-unet");
  CHECK(found("DiT-XL/2") == "dit-xl-2");
  CHECK(found("DiT_S_8") == "dit-s-8");
  CHECK(found("meta-llama/Llama-4-Scout-17B-16E-Instruct") == "llama-4-scout");
  CHECK(found("meta-llama/Llama-4-Maverick-17B-128E-Instruct") == "llama-4-maverick");
  CHECK(found("torchtune.models.llama4.llama4_scout_17b_16e") == "llama-4-scout");
}

TEST_CASE("a name that only resembles a model is none") {
  for (const char* name : {"llama-3-1.8b",
                           "llama-3-80b",
                           "llama-38b",
                           "Llama-2-70b-7b",
                           "qwen2.5-7",
                           "qwen25-7b",
                           "resnet5",
                           "resnet500",
                           "resnet-50-101",
                           "llama",
                           "bert",
                           "7b",
                           "chat",
                           "base-hf",
                           "llama-3-8b-medusa",
                           "llama-3.2-3b-vision",
                           "gpt2-xxl",
                           "deberta-v3",
                           "microsoft/dit-base",
                           "dinov2-base-patch16",
                           "vit-b-1.6",
                           "",
                           "/",
                           "...",
                           "meta-llama/",
                           "models--",
                           "resnet50.",
                           "my-resnet50"}) {
    CAPTURE(name);
    CHECK(found(name).empty());
  }
}

namespace {

/// Ids of what a name that is listed nowhere may be by its words, joined by blanks.
std::string by_words(std::string_view name) {
  static ModelLibrary library(model_files());
  const auto match = library.find_by_words(name);
  if (!match) return "";
  std::string ids = match->entry.id;
  for (const ModelLibrary::Found& other : match->others) ids += " " + other.entry.id;
  return ids;
}

}  // namespace

TEST_CASE("a fine-tune has the words and the size of its base in its name") {
  CHECK(by_words("allenai/Llama-3.1-Tulu-3-70B-SFT") == "llama-3.1-70b");
  CHECK(by_words("allenai/Llama-3.1-Tulu-3-8B-SFT") == "llama-3.1-8b");
  CHECK(by_words("unsloth/Meta-Llama-3.1-8B-Instruct-unsloth-bnb-4bit") == "llama-3.1-8b");
  CHECK(by_words("outputs/qwen2_5-7b-instruct-mytask-v2/") == "qwen2.5-7b");
  CHECK(by_words("models/llama2_7b.nemo") == "llama-2-7b");
}

TEST_CASE("a name that leaves the release or the base open is each of them") {
  CHECK(by_words("teknium/OpenHermes-2.5-Mistral-7B") ==
        "mistral-7b mistral-7b-v0.2 mistral-7b-v0.3");
  CHECK(by_words("HuggingFaceH4/zephyr-7b-gemma-sft-v0.1") == "gemma-7b zephyr-7b");
}

TEST_CASE("a variant of another kind is no fine-tune") {
  CHECK(by_words("tiiuae/Falcon-H1-7B-Instruct") == "");
  CHECK(by_words("tiiuae/falcon-4-7b") == "");
  CHECK(by_words("org/mistral-mamba-7b") == "");
  CHECK(by_words("org/falcon-mamba-7b") == "falcon-mamba-7b");
  CHECK(by_words("org/Llama-3.1-8B-Vision-thing") == "");
  CHECK(by_words("org/Qwen2.5-Omni-7B") == "");
  CHECK(by_words("Qwen/Qwen3.7-2B") == "");
  CHECK(by_words("unsloth/gemma-3n-E4B-it") == "");
  CHECK(by_words("tiiuae/Falcon-H1-3B-Instruct") == "");
  CHECK(by_words("ibm-granite/granite-4.0-h-1b") == "");
  CHECK(by_words("org/Qwen3-Embedding-8B-tuned") == "qwen3-embedding-8b");
  CHECK(by_words("org/llama-3.1-9b") == "");
  CHECK(by_words("my-model") == "");
}

TEST_CASE("a fine-tune whose size is a word begins with the name of its base") {
  CHECK(by_words("someone/bert-base-uncased-squad2") == "bert-base-uncased");
  CHECK(by_words("someone/roberta-base-sentiment") == "roberta-base");
  CHECK(by_words("someone/deberta-v3-base-nli") == "deberta-v3-base");
  CHECK(by_words("someone/t5-base-finetuned-summaries") == "t5-base");
  CHECK(by_words("output/bert_base_uncased-run/checkpoint-500") == "bert-base-uncased");
  // What it hears has words of any language, and so has what reads many.
  CHECK(by_words("someone/wav2vec2-large-xlsr-53-german") == "wav2vec2-large-lv60");
  CHECK(by_words("someone/wav2vec2-large-vi-news2020") == "wav2vec2-large");
  CHECK(by_words("someone/whisper-small-hi") == "whisper-small");
  CHECK(by_words("someone/xlm-roberta-large-german") == "xlm-roberta-large");
}

TEST_CASE("a name that begins like a base and speaks of another network is none") {
  CHECK(by_words("someone/roberta-base-chinese-answers") == "");
  CHECK(by_words("someone/roberta-base-ca") == "");
  CHECK(by_words("someone/bert-base-other-words") == "");  // of several with that name
  CHECK(by_words("someone/roberta-base-6-layers") == "");
  CHECK(by_words("someone/roberta-base-encoder") == "");
  CHECK(by_words("someone/roberta-base-v2") == "");
  CHECK(by_words("someone/roberta-base-small") == "");
  CHECK(by_words("someone/roberta-base-4096") == "");
  CHECK(by_words("models/swin_tiny_unet") == "");
  CHECK(by_words("roberta-base-mine") == "");  // no name of a hub, and no folder
  CHECK(by_words("someone/vit-base-patch16-224-in21k-flowers") == "");  // with 21 843 classes
}

TEST_CASE("a folder that is called after what it holds lies in one of the network's name") {
  CHECK(found("/data/models/bert_base_uncased/model") == "bert-base-uncased");
  CHECK(found("runs/resnet50/checkpoint-12") == "resnet50");
  CHECK(found("final") == "");
}

TEST_CASE("the size in a name is a number of parameters") {
  CHECK(size_in_name("bigcode/starcoder2-15b") == NamedSize{15'000'000'000});
  CHECK(size_in_name("org/thing-350m") == NamedSize{350'000'000});
  CHECK(size_in_name("org/thing2_5-1_8b") == NamedSize{1'800'000'000});
  CHECK(size_in_name("thing0p5b_phase3") == NamedSize{500'000'000});
  CHECK_FALSE(size_in_name("songs_xlstm_512d_4096ctx_12b"));
  CHECK_FALSE(size_in_name("mae_vit_base_patch16_dec512d8b"));
  CHECK(size_in_name("org/thing_3-8b") == NamedSize{8'000'000'000});
  CHECK_FALSE(size_in_name("org/thing-4bit"));
  CHECK_FALSE(size_in_name("org/thing"));
  CHECK(size_in_name("gpt3_5b") == NamedSize{5'000'000'000});
  CHECK(size_in_name("org/thing2_t33_650M_UR50D") == NamedSize{650'000'000});
  CHECK_FALSE(size_in_name("org/thing-vitb16-pretrain-lvd1689m"));
}

TEST_CASE("a name that has no points may lack one in its size") {
  CHECK_FALSE(size_in_name("thing_r1_15b"));
  CHECK_FALSE(size_in_name("thing17b"));
  CHECK(size_in_name("thing_20b") == NamedSize{20'000'000'000});
  CHECK(size_in_name("thing-15b") == NamedSize{15'000'000'000});
  CHECK(size_in_name("org/thing_15b") == NamedSize{15'000'000'000});
}

TEST_CASE("a size written on to an a or e is that of what one token costs") {
  CHECK(size_in_name("org/moe-30b-a3b") == NamedSize{30'000'000'000, true, 3'000'000'000});
  CHECK(size_in_name("org/moe-1b-a400m-base") == NamedSize{1'000'000'000, true, 400'000'000});
  CHECK(size_in_name("org/thing-vl-A3B") == NamedSize{3'000'000'000, false});
  CHECK(size_in_name("org/thing-3n-E4B-it") == NamedSize{4'000'000'000, false});
  CHECK_FALSE(size_in_name("org/moe-30b-14b"));
}

TEST_CASE("a name without a size may be any of the sizes it comes in") {
  CHECK(is_size_of(name_without_size("t5"), "t5-3b"));
  CHECK(is_size_of(name_without_size("google/T5"), "t5-large"));
  CHECK(is_size_of(name_without_size("qwen2"), "qwen2-0.5b"));
  CHECK_FALSE(is_size_of(name_without_size("qwen2"), "qwen2-vl-7b"));
  CHECK_FALSE(is_size_of(name_without_size("qwen2"), "qwen2.5-7b"));
  CHECK_FALSE(is_size_of(name_without_size("t5-3b"), "t5-3b"));
  CHECK_FALSE(is_size_of(name_without_size("/model"), "modernbert-base"));
}
