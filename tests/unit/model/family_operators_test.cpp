#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

Result<Tape> run(const std::string& text, TapeOptions options = {}) {
  Result<Program> program = program_of(text + "\nsources: [test]\n");
  if (!program) return fail(program.error());
  return run_program(*program, {{"batch", std::int64_t{2}}}, std::move(options), {});
}

std::int64_t saved(const std::string& text) {
  const Result<Tape> tape = run(text);
  REQUIRE(tape);
  return tape->saved_bytes(StorageKind::activation);
}

constexpr const char* kExperts =
    "dimensions: {top_k: 2, experts: 4}\ninput: {image: [batch, 3, 4]}\nprogram:\n"
    "  - {linear: {out: 4, bias: false}, as: x}\n"
    "  - {linear: {out: experts, bias: false}}\n"
    "  - {softmax: {fp32: true}, as: router}\n"
    "  - {experts: {router: router, top_k: top_k, intermediate: 8}, from: x}\n";

}  // namespace

TEST_CASE("a layer of experts keeps what a loop over its experts keeps") {
  // A loop over gated experts in PyTorch 1.13, 6 tokens of width 4, each to 2 of 4 experts of
  // width 8: 2,712 bytes in saved_tensors_hooks, without weights and the input's own.
  CHECK(saved(kExperts) == 2712);
}

TEST_CASE("experts have weights of their own, the tokens are shared among them") {
  const Result<Tape> tape = run(kExperts);
  REQUIRE(tape);
  CHECK(tape->total_bytes(StorageKind::parameter) == 4 * (4 * 4 + 4 * 4 + 4 * 3 * 4 * 8));
}

TEST_CASE("more experts per token than there are is refused with the numbers") {
  std::string text = kExperts;
  text.replace(text.find("top_k: 2"), 8, "top_k: 5");
  const Result<Tape> tape = run(text);
  REQUIRE(!tape);
  CHECK(tape.error().message.find("top_k: 5 of 4 experts") != std::string::npos);
}

TEST_CASE("a pixel loss keeps log-probabilities and labels, not the logits") {
  const std::string text =
      "dimensions: {classes: 5}\ninput: {image: [batch, 3, 4, 4]}\nprogram:\n"
      "  - {conv: classes}\n  - {upsample: {factor: 2}}\n  - {pixel_cross_entropy: ~}\n";
  // 5 x 8 x 8 values of 2 images in fp32 and the total weight; labels are targets.
  CHECK(saved(text) == 2 * 5 * 64 * 4 + 4);
}

TEST_CASE("aligned regions keep their boxes") {
  const std::string text =
      "dimensions: {regions: 6}\ninput: {image: [batch, 3, 16, 16]}\nprogram:\n"
      "  - {conv: {out: 8, bias: false}}\n  - {roi_align: {regions: regions, output: 7}}\n";
  CHECK(saved(text) == 6 * 5 * 4);
}

TEST_CASE("a family that uses an unknown part is refused by name") {
  Result<Document> text =
      read_yaml("model_db/families/odd.yaml",
                "uses: [no-such-part]\ndimensions: {a: 1}\ninput: {image: [batch, 3, 4, 4]}\n"
                "program: [{conv: 4}]\nsources: [test]\n",
                0);
  REQUIRE(text);
  std::vector<DataFile> files;
  files.push_back(DataFile{"model_db/families/odd.yaml", std::move(*text)});
  ModelLibrary library(files);
  const auto found = library.find("odd");
  REQUIRE(!found);
  CHECK(found.error().message == "uses: no part file is called \"no-such-part\"");
}

TEST_CASE("architectures of one family differ by what they imply") {
  ModelLibrary library(model_files());
  const auto dimension = [&](const char* architecture, const char* name) {
    const Result<Document> config =
        read_json("config.json", std::string("{\"architectures\": [\"") + architecture + "\"]}", 0);
    REQUIRE(config);
    const auto found = library.from_config(*config);
    REQUIRE(found);
    const auto at = found->entry.dimensions.find(name);
    return at != found->entry.dimensions.end() && at->second == expr::Value(true);
  };
  CHECK(dimension("Qwen2ForCausalLM", "attention_bias"));
  CHECK_FALSE(dimension("LlamaForCausalLM", "attention_bias"));
  CHECK(dimension("Qwen3MoeForCausalLM", "query_key_norm"));
  CHECK(dimension("Gemma2ForCausalLM", "softcapped_logits"));
}

TEST_CASE("a composite's config.json keeps the decoder one level deeper") {
  ModelLibrary library(model_files());
  const Result<Document> config = read_json(
      "config.json",
      R"({"architectures": ["Gemma3ForConditionalGeneration"], "text_config": {"hidden_size": 2560}})",
      0);
  REQUIRE(config);
  const auto found = library.from_config(*config);
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("hidden_size") == expr::Value(std::int64_t{2560}));
}
