#include "plan/run_layers.h"

#include "plan/run.h"
#include "source/read.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

Document read(const std::string& path, const std::string& text, FileId id) {
  auto document = read_document(path, text, id);
  REQUIRE(document.has_value());
  return std::move(*document);
}

Layer layer(const Document& document, std::vector<std::string> under = {}) {
  return {&document, document.resolve(document.root()), std::move(under)};
}

std::string value(const Document& document, std::string_view pointer) {
  return std::string(document.scalar(document.at(pointer)));
}

}  // namespace

TEST_CASE("mappings are joined key by key and everything else is replaced") {
  const Document base = read("base.yaml", "a: {x: 1, y: [1, 2]}\nb: 1\n", 0);
  const Document own = read("own.yaml", "a: {y: [3], z: 4}\n", 1);
  const std::vector<Layer> layers{layer(base), layer(own)};
  const JoinedLayers joined = join_layers(layers, own);
  CHECK(value(joined.document, "/a/x") == "1");
  CHECK(value(joined.document, "/a/y/0") == "3");
  CHECK(joined.document.at("/a/y/1") == kNoNode);
  CHECK(value(joined.document, "/a/z") == "4");
  CHECK(value(joined.document, "/b") == "1");
  CHECK_FALSE(joined.truncated);
}

TEST_CASE("a joined node knows the bytes of its own file") {
  const Document base = read("base.yaml", "# long comment\na:\n  x: base\n", 7);
  const Document own = read("own.yaml", "a:\n  y: own\n", 9);
  const std::vector<Layer> layers{layer(base), layer(own)};
  const JoinedLayers joined = join_layers(layers, own);
  const SourceSpan x = joined.document.span(joined.document.at("/a/x"));
  CHECK(x == SourceSpan{7, 23, 27});
  CHECK(joined.document.text_at(x) == "base");
  CHECK(joined.document.text_at(joined.document.span(joined.document.at("/a/y"))) == "own");
}

TEST_CASE("a layer below a key keeps the pointers of its own file") {
  const Document own = read("own.yaml", "seed: 1\ndata: x.yaml\n", 0);
  const Document group = read("x.yaml", "loader:\n  batch: 8\n", 1);
  const std::vector<Layer> layers{layer(own), layer(group, {"data", "train"})};
  const JoinedLayers joined = join_layers(layers, own);
  const NodeId batch = joined.document.at("/data/train/loader/batch");
  CHECK(joined.document.scalar(batch) == "8");
  CHECK(joined.document.pointer(batch) == "/loader/batch");
}

TEST_CASE("aliases and merge keys of a layer are written out") {
  const Document own = read("own.yaml", "d: &d {x: 1}\na:\n  <<: *d\n  y: 2\nb: *d\n", 0);
  const Document other = read("other.yaml", "a: {z: 3}\n", 1);
  const std::vector<Layer> layers{layer(own), layer(other)};
  const JoinedLayers joined = join_layers(layers, own);
  CHECK(value(joined.document, "/a/x") == "1");
  CHECK(value(joined.document, "/a/z") == "3");
  CHECK(value(joined.document, "/b/x") == "1");
}

TEST_CASE("plain keys over a class with its arguments are arguments of it") {
  const Document own =
      read("own.yaml", "m: {class_path: a.Net, init_args: {lr: 0.1, d: 8}}\nt: {lr: 1}\n", 0);
  const Document over = read("over.yaml", "m: {lr: 0.2}\nt: {lr: 2}\n", 1);
  const JoinedLayers joined = join_layers(std::vector<Layer>{layer(own), layer(over)}, own);
  CHECK(value(joined.document, "/m/init_args/lr") == "0.2");
  CHECK(value(joined.document, "/m/init_args/d") == "8");
  CHECK(joined.document.at("/m/lr") == kNoNode);
  CHECK(value(joined.document, "/t/lr") == "2");
  const Document other = read("other.yaml", "m: {class_path: b.Net, init_args: {d: 4}}\n", 1);
  const JoinedLayers replaced = join_layers(std::vector<Layer>{layer(own), layer(other)}, own);
  CHECK(value(replaced.document, "/m/class_path") == "b.Net");
  CHECK(value(replaced.document, "/m/init_args/d") == "4");
}

TEST_CASE("a removed key is gone with all below it") {
  const Document own = read("own.yaml", "a: {x: 1, y: 2}\nb: 1\n", 0);
  const std::vector<Layer> layers{layer(own)};
  const std::vector<std::string> removed{"a.x", "b"};
  const JoinedLayers joined = join_layers(layers, own, removed);
  CHECK(joined.document.at("/a/x") == kNoNode);
  CHECK(joined.document.at("/b") == kNoNode);
  CHECK(value(joined.document, "/a/y") == "2");
}

TEST_CASE("a bomb of aliases is cut, and says so") {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 5; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += last + (k < 9 ? "," : "]\n");
  }
  const Document own = read("own.yaml", text, 0);
  const Document other = read("other.yaml", "b: 1\n", 1);
  const std::vector<Layer> layers{layer(own), layer(own), layer(other)};
  const JoinedLayers joined = join_layers(layers, own);
  CHECK(joined.document.size() < 1'000'000);
}

TEST_CASE("overrides are read as Hydra writes them") {
  CHECK(parse_override("trainer.devices=4")->path == "trainer.devices");
  CHECK(parse_override("trainer.devices=4")->value == "4");
  CHECK(parse_override("++a.b=c=d")->value == "c=d");
  CHECK_FALSE(parse_override("~a.b")->value.has_value());
  CHECK(parse_override("a.b=")->value == "null");
  CHECK_FALSE(parse_override("a.b").has_value());
  CHECK_FALSE(parse_override("=3").has_value());
  CHECK_FALSE(parse_override("a..b=3").has_value());
}
