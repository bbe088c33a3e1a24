#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

TEST_CASE("every model has the parameters its authors published, or says why nobody has") {
  ModelLibrary library(model_files());
  REQUIRE(!library.ids().empty());
  for (const std::string& id : library.ids()) {
    CAPTURE(id);
    const Result<ModelLibrary::Found> found = library.find(id);
    REQUIRE(found);
    const std::optional<PublishedCount>& published = found->entry.published_parameters;
    FootprintRequest request{.model = id};
    if (published) request.dimensions = published->dimensions;
    const Result<Footprint> print = footprint(library, request);
    if (!print) FAIL_CHECK(print.error().to_string());
    if (print && published) {
      CAPTURE(print->parameters);
      CAPTURE(published->count);
      CHECK(published->agrees_with(print->parameters));
    } else {
      const bool said = !found->entry.unpublished_parameters.empty() ||
                        !found->program->unpublished_parameters.empty();
      CHECK_MESSAGE(said, "has neither published_parameters nor unpublished_parameters");
    }
  }
}

TEST_CASE("a published count holds to the last digit it states") {
  const auto published = [](const std::string& text) {
    Result<Document> document =
        read_yaml("model_db/models/a/b.yaml",
                  "family: a\npublished_parameters: " + text + "\nsources: [test]\n", 0);
    REQUIRE(document);
    const Result<ModelEntry> entry = parse_model(*document);
    return entry ? entry->published_parameters : std::nullopt;
  };
  const auto exact = published("25557032");
  REQUIRE(exact);
  CHECK(exact->agrees_with(25'557'032));
  CHECK(!exact->agrees_with(25'557'033));
  const auto millions = published("8.89 M");
  REQUIRE(millions);
  CHECK(millions->agrees_with(8'886'924));  // rounded
  CHECK(millions->agrees_with(8'899'999));  // cut off
  CHECK(!millions->agrees_with(8'900'000));
  CHECK(!millions->agrees_with(8'880'000));
  const auto billions = published("671 B");
  REQUIRE(billions);
  CHECK(billions->agrees_with(671'026'404'352));
  CHECK(!billions->agrees_with(672'000'000'000));
  const auto elsewhere = published("{count: 42856686, dimensions: {classes: 174}}");
  REQUIRE(elsewhere);
  CHECK(elsewhere->count == 42'856'686);
  CHECK(elsewhere->dimensions.at("classes").number() == 174);
  for (const char* wrong : {"8.89 G", "8.89M", "M", ". M", "0 M", "-3 M", "[1]", "{count: 3}"}) {
    CAPTURE(wrong);
    CHECK(!published(wrong));
  }
}

TEST_CASE("a model that states a count cannot also say why there is none") {
  Result<Document> document =
      read_yaml("model_db/models/a/b.yaml",
                std::string("family: a\npublished_parameters: 3\n"
                            "unpublished_parameters: nobody counted\nsources: [test]\n"),
                0);
  REQUIRE(document);
  const Result<ModelEntry> entry = parse_model(*document);
  REQUIRE(!entry);
  CHECK(entry.error().message.find("stands beside a published count") != std::string::npos);
}

TEST_CASE("autocast keeps half of a CNN's maps and all of its weights") {
  ModelLibrary library(model_files());
  FootprintRequest request{.model = "resnet50", .batch = 8};
  const Result<Footprint> fp32 = footprint(library, request);
  REQUIRE(fp32);
  CHECK(fp32->parameters == 25'557'032);
  request.tape.precision.autocast = DType::bf16;
  const Result<Footprint> autocast = footprint(library, request);
  REQUIRE(autocast);
  CHECK(autocast->parameter_bytes == fp32->parameter_bytes);
  CHECK(autocast->saved_bytes * 2 > fp32->saved_bytes);
  CHECK(autocast->saved_bytes * 19 < fp32->saved_bytes * 10);
}

TEST_CASE("ResNet-50 needs 8.2 GFLOP per image forward") {
  ModelLibrary library(model_files());
  const Result<Footprint> print = footprint(library, {.model = "resnet50"});
  REQUIRE(print);
  CHECK(print->forward.value > 8.1e9);
  CHECK(print->forward.value < 8.4e9);
}

TEST_CASE("names are matched without regard to case and separators") {
  ModelLibrary library(model_files());
  CHECK(library.find("ResNeXt50_32x4d"));
  CHECK(library.find("microsoft/resnet-50"));
  const auto missing = library.find("resnet5");
  REQUIRE(!missing);
  CHECK(missing.error().message.find("did you mean") != std::string::npos);
}

TEST_CASE("a batch of 10^18 saturates instead of overflowing") {
  ModelLibrary library(model_files());
  const Result<Footprint> print =
      footprint(library, {.model = "resnet50", .batch = 1'000'000'000'000'000'000});
  REQUIRE(print);
  CHECK(print->saved_bytes.count() == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("an image too small for the network is refused with the sizes") {
  ModelLibrary library(model_files());
  const Result<Footprint> print =
      footprint(library, {.model = "resnet50", .dimensions = {{"image_size", std::int64_t{0}}}});
  REQUIRE(!print);
  CHECK(print.error().message.find("leaves nothing of") != std::string::npos);
}

TEST_CASE("a million layers are refused by name") {
  ModelLibrary library(model_files());
  const expr::List blocks{std::int64_t{1'000'000}, std::int64_t{1}, std::int64_t{1},
                          std::int64_t{1}};
  const Result<Footprint> print =
      footprint(library, {.model = "resnet50", .dimensions = {{"blocks", blocks}}});
  REQUIRE(!print);
  CHECK(print.error().message == "repeat: 1000000 is more than 10000 layers");
}

TEST_CASE("a config.json fills the dimensions of its family") {
  ModelLibrary library(model_files());
  const Result<Document> config = read_json(
      "config.json",
      R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 2048, "hidden_act": "silu",
                    "intermediate_size": 8192, "num_attention_heads": 32, "num_hidden_layers": 16,
                    "num_key_value_heads": 8, "tie_word_embeddings": true, "vocab_size": 128256,
                    "rope_theta": 500000.0, "torch_dtype": "bfloat16"})",
      0);
  REQUIRE(config);
  const auto found = library.from_config(*config);
  REQUIRE(found);
  CHECK(found->program->id == "llama");
  std::map<std::string, expr::Value> dimensions = found->entry.dimensions;
  dimensions["batch"] = std::int64_t{1};
  Result<Tape> tape = run_program(*found->program, dimensions, {}, {});
  REQUIRE(tape);
  CHECK(summarise(*tape).parameters == 1'235'814'400);
}

TEST_CASE("a config.json of an architecture nobody described is refused by name") {
  ModelLibrary library(model_files());
  const Result<Document> config =
      read_json("config.json", R"({"architectures": ["RwkvForCausalLM"]})", 0);
  REQUIRE(config);
  const auto found = library.from_config(*config);
  REQUIRE(!found);
  CHECK(found.error().message == "the architecture \"RwkvForCausalLM\" is not described");
}

TEST_CASE("the attention backend decides how a decoder's memory grows with the sequence") {
  ModelLibrary library(model_files());
  const auto saved = [&](AttentionBackend backend, std::int64_t tokens) {
    FootprintRequest request{.model = "gpt2", .dimensions = {{"sequence_length", tokens}}};
    request.execution.attention = backend;
    const Result<Footprint> print = footprint(library, request);
    REQUIRE(print);
    return print->saved_bytes.count();
  };
  CHECK(saved(AttentionBackend::flash, 1024) < 2 * saved(AttentionBackend::flash, 512) + 8);
  CHECK(saved(AttentionBackend::explicit_math, 1024) >
        2 * saved(AttentionBackend::explicit_math, 512) + 12 * 12 * 512 * 512 * 4);
}
