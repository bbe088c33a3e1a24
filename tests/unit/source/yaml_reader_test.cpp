#include "unit/source/source_testing.h"

#include <algorithm>

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

std::string repeated(std::string_view piece, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += piece;
  return result;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("empty and comment-only texts have no document") {
  CHECK(yaml("").roots().empty());
  CHECK(yaml("\n \n").roots().empty());
  const Document document = yaml("# only\n  # this\n");
  CHECK(document.root() == kNoNode);
  CHECK(comments(document) == std::vector<std::string>{"# only", "# this"});
}

TEST_CASE("a stream has one root per document") {
  const Document document = yaml("a: 1\n---\n- 2\n...\n---\n---\nx\n");
  REQUIRE(document.roots().size() == 4);
  CHECK(document.kind(document.roots()[1]) == NodeKind::sequence);
  CHECK(written(document, document.roots()[2]).empty());
  CHECK(document.scalar(document.roots()[3]) == "x");
}

TEST_CASE("an end marker alone is not a document") { CHECK(yaml("...\n").roots().empty()); }

TEST_CASE("anchors are forgotten at the next document") {
  CHECK(contains(yaml_error("a: &x 1\n---\nb: *x\n"), "a.yaml:3:4: `*x`"));
}

TEST_CASE("every losing duplicate key is a note that names the winner") {
  const Document document = yaml("lr: 1\nbs: 2\nlr: 3\n'lr': 4\nin: {lr: 5}\n");
  REQUIRE(document.problems().size() == 2);
  const Problem& first = document.problems()[0];
  CHECK(first.kind == ProblemKind::duplicate_key);
  CHECK(first.begin == 0);
  CHECK(document.problems()[1].begin == 12);
  CHECK(written(document, first.other) == "'lr'");
  CHECK(value(document, "/lr") == "4");
}

TEST_CASE("a quoted number and a number are different keys") {
  CHECK(yaml("1: a\n\"1\": b\n").problems().empty());
  CHECK(yaml("!!str 1: a\n1: b\n").problems().empty());
}

TEST_CASE("equal keys in different mappings and repeated merge keys are not duplicates") {
  const Document document = yaml("a: &a {x: 1}\nb: &b {x: 2}\nc:\n  <<: *a\n  <<: *b\n  x: 3\n");
  CHECK(document.problems().empty());
}

TEST_CASE("duplicates are found in long mappings too") {
  std::string text = "k7: first\n";
  for (int i = 0; i < 1000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  const Document document = yaml(text);
  REQUIRE(document.problems().size() == 1);
  CHECK(document.problems()[0].begin == 0);
}

TEST_CASE("an alias that is a key is called as the scalar it leads to") {
  const Document document = yaml(
      "target: &TARGET_KEY \"elevation_differ\"  # of the table\nheads:\n  *TARGET_KEY:\n"
      "    size: 3\n  other: *TARGET_KEY\n");
  CHECK(value(document, "/heads/elevation_differ/size") == "3");
  CHECK(value(document, "/heads/other") == "elevation_differ");
  CHECK(written(document, document.node(document.at("/heads/elevation_differ")).key) ==
        "*TARGET_KEY");
  CHECK(value(yaml("a: &x one\n*x: 1\nb: &x two\n*x: 2\n"), "/two") == "2");
  CHECK(contains(yaml_error("a: &x [1]\n*x: 2\n"), "`*x:`"));
}

TEST_CASE("an alias inside its own anchor is noted and leads nowhere") {
  const Document document = yaml("a: &a [1, *a]\n");
  CHECK(problem_kinds(document) == std::vector<ProblemKind>{ProblemKind::cyclic_alias});
  CHECK(document.items(document.at("/a")).size() == 1);
  CHECK(document.at("/a/1") == kNoNode);
}

TEST_CASE("an alias bomb is noted and its walk stays small") {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    text += std::string(1, c) + ": &" + c + " [" + before + repeated(", " + before, 8) + "]\n";
  }
  const Document document = yaml(text);
  CHECK(problem_kinds(document) == std::vector<ProblemKind>{ProblemKind::limit});
  CHECK(document.items(document.at("/i")).size() == 9);
}

TEST_CASE("merge keys that multiply past the limit are not followed") {
  std::string text = "m0: &m0 {a: 1}\n";
  for (int i = 1; i < 3000; ++i) {
    text += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: *m" +
            std::to_string(i - 1) + ", k" + std::to_string(i) + ": 1}\n";
  }
  const Document document = yaml(text);
  REQUIRE_FALSE(document.problems().empty());
  CHECK(document.problems()[0].kind == ProblemKind::limit);
  CHECK(contains(document.problems()[0].text, "merge keys bring in more than 2000000 members"));
  CHECK(document.members(document.at("/m2999")).size() == 2);
}

TEST_CASE("a merge key that brings in nothing is noted") {
  const Document document = yaml("a: {<<: 3}\nb: {<<: [1]}\nc: {<<: {d: 1}}\n");
  CHECK(problem_kinds(document) ==
        std::vector<ProblemKind>{ProblemKind::merge_not_mapping, ProblemKind::merge_not_mapping});
}

TEST_CASE("unknown tags are kept and nothing is done with them") {
  const Document document = yaml(
      "a: !!python/object/apply:os.system ['x']\nb: !<tag:e.org,1:t> v\n"
      "c: !e\n  - 1\nd: ! 12\n");
  CHECK(document.tag(document.at("/a")) == "tag:yaml.org,2002:python/object/apply:os.system");
  CHECK(document.tag(document.at("/b")) == "tag:e.org,1:t");
  CHECK(document.tag(document.at("/c")) == "!e");
  CHECK(document.tag(document.at("/d")) == "!");
}

TEST_CASE("nesting beyond the limit names the limit and the place") {
  for (const std::string_view open : {"[", "{a: ", "- ", "? "}) {
    const Result<Document> document = read_yaml("a.yaml", repeated(open, 10000), 0);
    REQUIRE_FALSE(document.has_value());
    CHECK(document.error().limit);
    CHECK(contains(document.error().message, "more than 200 mappings and sequences"));
    CHECK(document.error().place.line == 1);
  }
  ReadLimits limits;
  limits.max_depth = 2;
  CHECK(yaml("a: [1]", limits).size() == 4);
  CHECK(contains(yaml_error("a: [[1]]", limits), "a.yaml:1:5: more than 2 mappings"));
}

TEST_CASE("a limit beyond what yaml-cpp can nest still ends in a clear message") {
  ReadLimits limits;
  limits.max_depth = 100000;
  CHECK(contains(yaml_error(repeated("[", 10000), limits), "inside each other"));
}

TEST_CASE("size and node limits are named") {
  ReadLimits limits;
  limits.max_bytes = 10;
  CHECK(contains(yaml_error("a: 1234567890", limits), "13 bytes are more than the limit of 10"));
  limits = {};
  limits.max_nodes = 3;
  CHECK(contains(yaml_error("a: [1, 2]", limits), "more than 3 keys and values"));
}

TEST_CASE("texts in another encoding are refused with the place and the encoding") {
  using namespace std::string_literals;
  CHECK(contains(yaml_error("\xff\xfe"
                            "a\0"s),
                 "the text is UTF-16; save the file as UTF-8"));
  CHECK(contains(yaml_error("\xff\xfe\0\0"s), "UTF-32"));
  CHECK(contains(yaml_error("a\0:\0 \0"s), "UTF-16 without a byte order mark"));
  CHECK(yaml_error("a: 1\nb: x\xe9\n") ==
        "a.yaml:2:5: byte 0xe9 at offset 9 is not UTF-8; save the file as UTF-8");
  CHECK(contains(yaml_error("a: 1\nb: \0\n"s), "a.yaml:2:4: byte 0x00 at offset 8 is a control"));
  CHECK(contains(yaml_error("a: \x1b[31m"), "byte 0x1b at offset 3"));
}

TEST_CASE("messages say what was found, what was expected and where") {
  CHECK(yaml_error("a: b\n\tc: d\n") ==
        "a.yaml:2:1: a tab indents this line; YAML indents with spaces only: replace the tab");
  CHECK(yaml_error("a: [1, 2\n") ==
        "a.yaml:2:1: expected `,` or `]` inside `[…]`; close the bracket or add the comma "
        "(opened at 1:4)");
  CHECK(contains(yaml_error("a: 1\n b: 2\n"), "a.yaml:2:3: a `:` where no value can start"));
  CHECK(contains(yaml_error("a: x: y\n"), "a.yaml:1:5: a `:` where no value can start"));
  CHECK(yaml_error("a: 'open\n") ==
        "a.yaml:1:4: the file ends inside this quoted text; add the closing quote");
  CHECK(contains(yaml_error("a: @x\n"), "a.yaml:1:4: a character that can start no value"));
  CHECK(contains(yaml_error("a: \"\\q\"\n"), "an escape that YAML does not know"));
  CHECK(contains(yaml_error("a: {{ x }} y\n"), "a template is YAML only after it is rendered"));
  CHECK(contains(yaml_error("  a: 1\nb: 2\n"), "a.yaml:2:1: "));
}

TEST_CASE("nested lists that start as keys do not run past the text") {
  CHECK(contains(yaml_error("[[[[[[<"), "expected `,` or `]`"));
  const Document document = yaml("[[[a]: b]: c]: d\n");
  CHECK(written(document, document.node(document.root()).first_child) == "d");
}

TEST_CASE("text behind a document without a marker is refused, and so is a stray comma") {
  CHECK(contains(yaml_error("'a'\n'b'\n"), "a.yaml:2:1: text behind the end of the document"));
  CHECK(contains(yaml_error(", a\n"), "a.yaml:1:1: "));
}

TEST_CASE("an error knows file, span and place") {
  const Result<Document> document = read_yaml("d/e.yaml", "a: *b", 7);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().file == "d/e.yaml");
  CHECK(document.error().where == SourceSpan{7, 3, 4});
  CHECK(document.error().place == LineColumn{1, 4});
}
