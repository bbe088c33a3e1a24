#include "source/toml_reader.h"

#include "source/scalar.h"
#include "unit/source/source_testing.h"

#include <string>
#include <variant>

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

Document toml_of(std::string text) {
  Result<Document> document = read_toml_table("pyproject.toml", std::move(text), "tool.gpulint", 0);
  REQUIRE(document.has_value());
  return std::move(document).value();
}

std::string toml_refused(std::string text) {
  const auto document = read_toml_table("pyproject.toml", std::move(text), "tool.gpulint", 0);
  REQUIRE_FALSE(document.has_value());
  return document.error().to_string();
}

/// {a: 1, b: [x, y]}
std::string tree_text(const Document& document, NodeId node) {
  std::string text;
  switch (document.node(node).kind) {
    case NodeKind::mapping:
      for (const Member& member : document.members(node)) {
        text += (text.empty() ? "" : ", ") + std::string(document.scalar(member.key)) + ": " +
                tree_text(document, member.value);
      }
      return "{" + text + "}";
    case NodeKind::sequence:
      for (const NodeId item : document.items(node)) {
        text += (text.empty() ? "" : ", ") + tree_text(document, item);
      }
      return "[" + text + "]";
    default:
      return std::string(document.scalar(node));
  }
}

std::string toml_table(std::string text) {
  const Document document = toml_of(std::move(text));
  return tree_text(document, document.root());
}

}  // namespace

TEST_CASE("a table is read out of a file of other tables") {
  CHECK(toml_table("[project]\nname = 'x'\n[tool.gpulint]\ngpu = \"a10g\"  # ours\nheadroom = 0.9\n"
                   "[tool.ruff]\nline-length = 100\n") == "{gpu: a10g, headroom: 0.9}");
  CHECK(toml_table("[project]\nname = 'x'\n") == "{}");
}

TEST_CASE("tables below it, dotted keys and tables in arrays make one tree") {
  CHECK(toml_table("[tool.gpulint]\nfacts.image_size = 224\n[tool.gpulint.severity]\n"
                   "amp-disabled = 'note'\n[[tool.gpulint.overrides]]\npaths = ['a/**']\n"
                   "[[tool.gpulint.overrides]]\npaths = ['b/**']\n") ==
        "{facts: {image_size: 224}, severity: {amp-disabled: note}, "
        "overrides: [{paths: [a/**]}, {paths: [b/**]}]}");
}

TEST_CASE("values may span lines, and strings have their escapes") {
  CHECK(toml_table("[tool.gpulint]\ndisable = [\n  'a', # one\n  \"b\\u0021\",\n]\n"
                   "facts = {a = 1_000, b = true}\n") ==
        "{disable: [a, b!], facts: {a: 1000, b: true}}");
  CHECK(toml_table("[tool.other]\ntext = \"\"\"\n[tool.gpulint]\ngpu = 'no'\n\"\"\"\n") == "{}");
}

TEST_CASE("what is no TOML is refused with its place") {
  CHECK(toml_refused("[tool.gpulint]\ngpu a10g\n").find("pyproject.toml:2:5: expected \"=\"") == 0);
  CHECK(toml_refused("[tool.gpulint\n").find("expected \"]\"") != std::string::npos);
  CHECK(toml_refused("a = 'x\n").find("the string does not end") != std::string::npos);
  CHECK(toml_refused("a = 1\na = 2\n").find("\"a\" is set twice") != std::string::npos);
  CHECK(toml_refused("a = 1\n[a]\n").find("not a table") != std::string::npos);
  CHECK(toml_refused("a = [1 2]\n").find("expected \",\"") != std::string::npos);
  CHECK(toml_refused("a = " + std::string(500, '[')).find("nested too deep") != std::string::npos);
}

TEST_CASE("a value keeps the bytes that state it") {
  const Document document = toml_of("[tool.gpulint]\ngpu = \"a10g\"\n");
  const NodeId gpu = document.find(document.root(), "gpu");
  CHECK(document.text().substr(document.node(gpu).begin,
                               document.node(gpu).end - document.node(gpu).begin) == "\"a10g\"");
}

TEST_CASE("a whole TOML file is read with its comments, and its numbers are numbers") {
  const auto document = read_toml("c.toml",
                                  "# top\n[training]\nlr = 5e-4 # rate\nsteps = 10_000\n"
                                  "on = true\nname = \"x\"\n[[parts]]\na.b = [1]\n[[parts]]\n",
                                  0);
  REQUIRE(document);
  CHECK(tree_text(*document, document->root()) ==
        "{training: {lr: 5e-4, steps: 10000, on: true, name: x}, parts: [{a: {b: [1]}}, {}]}");
  CHECK(document->format() == Format::toml);
  CHECK(document->comments().size() == 2);
  const NodeId training = document->find(document->root(), "training");
  const ScalarValue rate =
      interpret(*document, document->find(training, "lr"), ScalarSchema::yaml11);
  CHECK(std::get<double>(rate) == 5e-4);
}

TEST_CASE("many keys of one table are read in good time") {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "k" + std::to_string(i) + " = 1\n";
  const auto document = read_toml("c.toml", text, 0);
  REQUIRE(document);
  CHECK(document->members(document->root()).size() == 60'000);
}
