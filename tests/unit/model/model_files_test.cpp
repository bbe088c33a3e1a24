// What a model file may hold: operators, shapes and dimensions. A byte count, a measured figure or
// any other number has no place to stand.

#include "base/text.h"
#include "model/name_index.h"
#include "test_models.h"

#include <doctest/doctest.h>

#include <cctype>
#include <map>
#include <set>

using namespace gpulint;
using namespace gpulint::model;

namespace {

/// Sizes of published models stay below it: the widest vocabulary has 262,144 entries.
constexpr std::int64_t kLargestSize = 4'000'000;

/// Every scalar below `node`, with the key it belongs to.
void collect(const Document& document, NodeId node, std::string_view key,
             std::vector<std::pair<std::string, std::string>>& found) {
  if (document.kind(node) == NodeKind::scalar) {
    found.emplace_back(std::string(key), std::string(document.scalar(node)));
  }
  for (const NodeId item : document.items(node)) collect(document, item, key, found);
  for (const Member& member : document.members(node)) {
    collect(document, member.value, document.scalar(member.key), found);
  }
}

/// The largest whole number written in a scalar.
std::int64_t largest_number(std::string_view text) {
  std::int64_t largest = 0;
  std::int64_t value = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !in_word)
      value = std::min<std::int64_t>(value * 10 + (c - '0'), 1'000'000'000'000);
    if (!digit) {
      in_word = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
      value = 0;
    }
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace

TEST_CASE("model files hold no number that is not a size, a count of layers or a rate") {
  const std::set<std::string> texts = {
      "published_parameters", "unpublished_parameters", "sources", "names", "family", "uses",
      "config_json",          "config_fields"};
  for (const DataFile& file : model_files()) {
    CAPTURE(file.path);
    std::vector<std::pair<std::string, std::string>> scalars;
    for (const Member& member : file.document.members(file.document.root())) {
      const std::string key(file.document.scalar(member.key));
      if (!texts.contains(key)) collect(file.document, member.value, key, scalars);
    }
    for (const std::pair<std::string, std::string>& scalar : scalars) {
      CAPTURE(scalar.first);
      CAPTURE(scalar.second);
      CHECK(scalar.first.find("byte") == std::string::npos);
      CHECK(largest_number(scalar.second) <= kLargestSize);
    }
  }
}

TEST_CASE("a model file cannot state bytes") {
  CHECK(
      !program_of("dimensions: {}\ninput: {image: [batch, 3, 8, 8]}\nsaved_bytes: 4096\n"
                  "program: [{conv: 4}]\nsources: [test]\n"));
  const Result<Program> program = program_of(
      "dimensions: {}\ninput: {image: [batch, 3, 8, 8]}\n"
      "program: [{conv: {out: 4, saved_bytes: 4096}}]\nsources: [test]\n");
  REQUIRE(!program);
  CHECK(program.error().message.find("saved_bytes") != std::string::npos);
}

TEST_CASE("no two files answer to one name of a model") {
  std::vector<ModelName> names;
  for (std::size_t i = 0; i < model_files().size(); ++i) {
    add_model_names(model_files()[i].document, i, names);
  }
  std::map<std::string, std::size_t> first;
  for (const ModelName& name : names) {
    if (name.kind == ModelNameKind::family || name.kind == ModelNameKind::architecture) continue;
    const auto [place, added] = first.try_emplace(name.name, name.file);
    CAPTURE(name.name);
    CAPTURE(model_files()[name.file].path);
    CAPTURE(model_files()[place->second].path);
    CHECK((added || place->second == name.file));
  }
}

TEST_CASE("the models are at most 3.1 megabytes of text") {
  std::size_t total = 0;
  for (const DataFile& file : model_files()) total += file.document.text().size();
  CHECK(total <= 3'100'000);
}

TEST_CASE("a program with its own parameter count is a model and a family in one") {
  const char* text = R"(
dimensions: {image_size: 8}
input: {image: [batch, 3, image_size, image_size]}
program:
  - {conv: {out: 4, kernel: 3}}
names: [tiny_conv]
published_parameters: 112
sources: [test]
)";
  Result<Document> document = read_yaml("model_db/families/tiny.yaml", std::string(text), 0);
  REQUIRE(document);
  std::vector<DataFile> files;
  files.push_back({"model_db/families/tiny.yaml", std::move(*document)});
  ModelLibrary library(files);
  CHECK(library.ids() == std::vector<std::string>{"tiny"});
  const Result<Footprint> print = footprint(library, {.model = "tiny_conv", .batch = 2});
  REQUIRE(print);
  CHECK(print->parameters == 112);
  REQUIRE(print->published_parameters);
  CHECK(print->published_parameters->count == 112);
}
