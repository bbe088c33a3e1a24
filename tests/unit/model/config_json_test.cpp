// How a config.json names a family and fills its dimensions.

#include "described_config.h"
#include "model/interpreter.h"
#include "test_models.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::model;

namespace {

constexpr const char* kListed = R"(
config_json: [listed]
config_fields: {depth: body.depth, extra: extra|further}
dimensions: {image_size: 8, widths: [1], kinds: [plain], kind: none, depth: 1, extra: 2}
input: {image: [batch, 3, image_size, image_size]}
program:
  - {repeat: depth, body: [{conv: {out: "widths[0] + extra", kernel: 1}}]}
sources: [test]
)";

Result<ModelLibrary::Found> listed(std::string_view config) {
  static const std::vector<DataFile> files = [] {
    Result<Document> document = read_yaml("model_db/families/listed.yaml", std::string(kListed), 0);
    REQUIRE(document);
    std::vector<DataFile> made;
    made.push_back({"model_db/families/listed.yaml", std::move(*document)});
    return made;
  }();
  static ModelLibrary library(files);
  return described(library, config);
}

}  // namespace

TEST_CASE("the type of a model or its class names a family where no architecture does") {
  CHECK(listed(R"({"model_type": "listed"})"));
  CHECK(listed(R"({"_class_name": "listed"})"));
  CHECK(listed(R"({"architectures": ["Unheard"], "model_type": "listed"})"));
  const auto none = listed(R"({"hidden_size": 8})");
  REQUIRE(!none);
  CHECK(none.error().message == "names no \"architectures\"");
}

TEST_CASE("a field of a part fills a dimension") {
  const auto found = listed(R"({"model_type": "listed", "body": {"depth": 3}, "depth": 9})");
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("depth") == expr::Value(std::int64_t{3}));
}

TEST_CASE("one number stands for a list, words in a list for one text") {
  const auto found = listed(R"({"model_type": "listed", "widths": 4, "kind": ["a", "b"]})");
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("widths") == expr::Value(expr::List{std::int64_t{4}}));
  CHECK(found->entry.dimensions.at("kind") == expr::Value(std::string("a|b")));
}

TEST_CASE("both edges of a square stand for one number, of a rectangle for none") {
  const auto square = listed(R"({"model_type": "listed", "image_size": [16, 16]})");
  REQUIRE(square);
  CHECK(square->entry.dimensions.at("image_size") == expr::Value(std::int64_t{16}));
  const auto oblong = listed(R"({"model_type": "listed", "image_size": [16, 32]})");
  REQUIRE(oblong);
  CHECK_FALSE(oblong->entry.dimensions.at("image_size") == expr::Value(std::int64_t{16}));
}

TEST_CASE("the language model's fields win over those of the whole") {
  for (const char* part : {"text_config", "llm_config"}) {
    const auto found = listed(std::string(R"({"model_type": "listed", "extra": 3, ")") + part +
                              R"(": {"extra": 5}})");
    REQUIRE(found);
    CHECK(found->entry.dimensions.at("extra") == expr::Value(std::int64_t{5}));
  }
}

TEST_CASE("a table of labels gives their number") {
  const auto found = listed(R"({"model_type": "listed", "extra": {"0": "cat", "1": "dog"}})");
  REQUIRE(found);
  CHECK(found->entry.dimensions.at("extra") == expr::Value(std::int64_t{2}));
}

TEST_CASE("-1 says that a field is not set") {
  const auto found = listed(R"({"model_type": "listed", "extra": -1})");
  REQUIRE(found);
  CHECK(!found->entry.dimensions.contains("extra"));
}

TEST_CASE("a list of words is refused where numbers are needed and numbers where words are") {
  const auto numbers = listed(R"({"model_type": "listed", "widths": ["a"], "kinds": ["b"]})");
  REQUIRE(numbers);
  std::map<std::string, expr::Value> dimensions = numbers->entry.dimensions;
  dimensions["batch"] = std::int64_t{1};
  Result<Tape> tape = run_program(*numbers->program, dimensions, {}, {});
  REQUIRE(!tape);
  CHECK(tape.error().message == "widths: expected a list of numbers, found a");
  dimensions["widths"] = expr::List{std::int64_t{1}};
  dimensions["kinds"] = expr::List{std::int64_t{1}};
  tape = run_program(*numbers->program, dimensions, {}, {});
  REQUIRE(!tape);
  CHECK(tape.error().message == "kinds: expected a list of words, found 1");
}

TEST_CASE("a dimension has the first of its spellings that a file has") {
  const auto extra = [](std::string_view config) {
    const auto found = listed(config);
    REQUIRE(found);
    const auto at = found->entry.dimensions.find("extra");
    return at == found->entry.dimensions.end() ? std::int64_t{0}
                                               : std::get<std::int64_t>(at->second.data);
  };
  CHECK(extra(R"({"model_type": "listed", "further": 5})") == 5);
  CHECK(extra(R"({"model_type": "listed", "further": 5, "extra": 7})") == 7);
  CHECK(extra(R"({"model_type": "listed"})") == 0);
}
