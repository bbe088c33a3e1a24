#include "unit/source/source_testing.h"

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

std::uint32_t begin_of(const Document& document, std::string_view pointer) {
  const NodeId id = document.at(pointer);
  REQUIRE(id != kNoNode);
  return document.node(id).begin;
}

}  // namespace

TEST_CASE("spans of plain scalars leave out trailing blanks and comments") {
  const Document document = yaml("lr: 0.1   # rate\nname: my run\t\n");
  CHECK(written(document, "/lr") == "0.1");
  CHECK(written(document, "/name") == "my run");
  CHECK(comments(document) == std::vector<std::string>{"# rate"});
}

TEST_CASE("spans of quoted scalars include the quotes and values do not") {
  const Document document = yaml("a: 'it''s # no'\nb: \"x\\\"y\" # c\nc: \"plain\"\n");
  CHECK(written(document, "/a") == "'it''s # no'");
  CHECK(value(document, "/a") == "it's # no");
  CHECK(written(document, "/b") == "\"x\\\"y\"");
  CHECK(value(document, "/b") == "x\"y");
  CHECK(document.node(document.at("/c")).has_value_in_pool == 0);
  CHECK(document.node(document.at("/b")).has_value_in_pool == 1);
  CHECK(document.node(document.at("/a")).quoting == Quoting::single_quoted);
  CHECK(document.node(document.at("/b")).quoting == Quoting::double_quoted);
}

TEST_CASE("a folded plain scalar ends with its last line") {
  const Document document = yaml("a: one\n  two\n\n  three # c\nb: x\n");
  CHECK(value(document, "/a") == "one two\nthree");
  CHECK(written(document, "/a") == "one\n  two\n\n  three");
  CHECK(comments(document) == std::vector<std::string>{"# c"});
}

TEST_CASE("a block scalar ends with its last content line and keeps what looks like a comment") {
  const Document document = yaml("a: |  # head\n  x # no\n  key: v\n\n# after\nb: >-\n  p\n  q\n");
  CHECK(value(document, "/a") == "x # no\nkey: v\n");
  CHECK(written(document, "/a") == "|  # head\n  x # no\n  key: v");
  CHECK(document.node(document.at("/a")).quoting == Quoting::literal);
  CHECK(value(document, "/b") == "p q");
  CHECK(written(document, "/b") == ">-\n  p\n  q");
  CHECK(document.node(document.at("/b")).quoting == Quoting::folded);
  CHECK(comments(document) == std::vector<std::string>{"# after"});
}

TEST_CASE("a block scalar with a stated indentation keeps the blanks beyond it") {
  const Document document = yaml("a:\n  b: |2\n      x\n     y\n  c: 1\n");
  CHECK(value(document, "/a/b") == "  x\n y\n");
  CHECK(written(document, "/a/b") == "|2\n      x\n     y");
  CHECK(written(document, "/a/c") == "1");
}

TEST_CASE("a value that is not written has an empty span behind its colon") {
  const Document document = yaml("a:\nb:   # later\n\nc: 1\nd:");
  CHECK(written(document, "/a").empty());
  CHECK(begin_of(document, "/a") == 2);
  CHECK(begin_of(document, "/b") == 5);
  CHECK(begin_of(document, "/d") == 24);
}

TEST_CASE("a missing value before a key called null is not that key") {
  const Document document = yaml("a:\nnull: 1\nb: null\nc: ~\n");
  CHECK(begin_of(document, "/a") == 2);
  CHECK(written(document, "/a").empty());
  CHECK(written(document, "/b") == "null");
  CHECK(written(document, "/c") == "~");
  CHECK(written(document, "/null") == "1");
}

TEST_CASE("missing items and missing flow values have empty spans") {
  const Document document = yaml("l:\n  -\n  - x\n  -\nf: {a, b: , c: 1}\n");
  CHECK(begin_of(document, "/l/0") == 6);
  CHECK(begin_of(document, "/l/2") == 16);
  CHECK(written(document, "/f/a").empty());
  CHECK(begin_of(document, "/f/b") == 26);
  CHECK(written(document, "/f") == "{a, b: , c: 1}");
}

TEST_CASE("a tag or anchor without content stands before an empty span") {
  const Document document = yaml("a: !PLACEHOLDER\nb: &x\n\"c\": 1\n");
  CHECK(document.tag(document.at("/a")) == "!PLACEHOLDER");
  CHECK(begin_of(document, "/a") == 15);
  CHECK(document.anchor(document.at("/b")) == "x");
  CHECK(begin_of(document, "/b") == 21);
  CHECK(written(document, "/c") == "1");
}

TEST_CASE("spans start behind tag and anchor") {
  const Document document =
      yaml("a: &x !!float 2e-4\nb: !new:torch.nn.Linear # layer\n  n: 1\nc: !ref <a>\n");
  CHECK(written(document, "/a") == "2e-4");
  CHECK(document.tag(document.at("/a")) == "tag:yaml.org,2002:float");
  CHECK(document.anchor(document.at("/a")) == "x");
  CHECK(written(document, "/b") == "n: 1");
  CHECK(document.tag(document.at("/b")) == "!new:torch.nn.Linear");
  CHECK(written(document, "/c") == "<a>");
  CHECK(document.tag(document.at("/c")) == "!ref");
  CHECK(comments(document) == std::vector<std::string>{"# layer"});
}

TEST_CASE("collections span from their first to their last character") {
  const Document document = yaml("m:\n  a: 1\n  b: [1, {x: 2} , ] # c\nn: {k: v}\n");
  CHECK(written(document, "/m") == "a: 1\n  b: [1, {x: 2} , ]");
  CHECK(written(document, "/m/b") == "[1, {x: 2} , ]");
  CHECK(written(document, "/m/b/1") == "{x: 2}");
  CHECK(document.node(document.at("/n")).flow == 1);
  CHECK(document.node(document.at("/m")).flow == 0);
}

TEST_CASE("a mapping without braces inside a list starts at its key") {
  const Document document = yaml("[{a: b}: c, d: e]");
  CHECK(written(document, "/0") == "{a: b}: c");
  CHECK(written(document, "/1") == "d: e");
}

TEST_CASE("a byte order mark moves no span and takes no column") {
  const Document document = yaml(
      "\xef\xbb\xbf"
      "a: 1\nb: 2\n");
  CHECK(written(document, "/a") == "1");
  CHECK(document.line_column(begin_of(document, "/a")) == LineColumn{1, 4});
  CHECK(document.line_column(begin_of(document, "/b")) == LineColumn{2, 4});
}

TEST_CASE("carriage returns and multi-byte characters keep spans on the bytes") {
  const Document document =
      yaml("a: \xc3\xa9t\xc3\xa9 # \xe4\xb8\xad\r\nb: |\r\n  x\r\n  y\r\nc: 2\r\n");
  CHECK(written(document, "/a") == "\xc3\xa9t\xc3\xa9");
  CHECK(written(document, "/b") == "|\r\n  x\r\n  y");
  CHECK(written(document, "/c") == "2");
  CHECK(comments(document) == std::vector<std::string>{"# \xe4\xb8\xad"});
}

TEST_CASE("a lone carriage return ends a line") {
  const Document document = yaml("a: 1\rb: 2\r");
  CHECK(written(document, "/a") == "1");
  CHECK(document.line_column(begin_of(document, "/b")) == LineColumn{2, 4});
}

TEST_CASE("aliases span their name and lead to the anchored node") {
  const Document document = yaml("a: &x [1]\nb: *x # c\n{c: *x}: d\n");
  const NodeId mapping = document.root();
  const NodeId a = document.node(mapping).first_child;
  const NodeId b = document.node(a).next_sibling;
  CHECK(written(document, b) == "*x");
  CHECK(document.kind(b) == NodeKind::alias);
  CHECK(document.resolve(b) == a);
}

TEST_CASE("comments are found around every kind of token") {
  const Document document =
      yaml("# 1\na: # 2\n  # 3\n  - x # 4\n  - 'q' # 5\nu: http://h/#a\nv: a#b\n# 6");
  CHECK(comments(document) == std::vector<std::string>{"# 1", "# 2", "# 3", "# 4", "# 5", "# 6"});
  CHECK(value(document, "/u") == "http://h/#a");
  CHECK(value(document, "/v") == "a#b");
}

TEST_CASE("line breaks before a closing quote belong to the value") {
  const Document document = yaml("a: 'x\n\n\n  '\nb: \"\n\n  \"\nc: \"y\\n\n  \"\n");
  CHECK(value(document, "/a") == "x\n\n");
  CHECK(value(document, "/b") == "\n");
  CHECK(value(document, "/c") == "y\n ");
}

TEST_CASE("complex keys and their values keep their spans") {
  const Document document = yaml("? [a, b]\n: v\n? k\n: w\n");
  const NodeId first = document.node(document.root()).first_child;
  CHECK(written(document, document.node(first).key) == "[a, b]");
  CHECK(written(document, first) == "v");
  CHECK(written(document, "/k") == "w");
}
