#include "unit/source/source_testing.h"

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

std::vector<std::string> notes(const Document& document) {
  std::vector<std::string> result;
  for (const Problem& problem : document.problems()) {
    CHECK(problem.kind == ProblemKind::not_strict_json);
    result.push_back(problem.text);
  }
  return result;
}

bool starts_with(const std::string& text, std::string_view start) {
  return std::string_view(text).starts_with(start);
}

}  // namespace

TEST_CASE("JSON spans are exact for keys, values and collections") {
  const Document document =
      json("{ \"a\" : [1, -2.5e3 ,true,null, \"x\\u0041\", {} ] ,\n\t\"b\":{\"c\":\"d\"} }");
  CHECK(written(document, "/a") == "[1, -2.5e3 ,true,null, \"x\\u0041\", {} ]");
  CHECK(written(document, "/a/0") == "1");
  CHECK(written(document, "/a/1") == "-2.5e3");
  CHECK(written(document, "/a/2") == "true");
  CHECK(written(document, "/a/3") == "null");
  CHECK(written(document, "/a/4") == "\"x\\u0041\"");
  CHECK(value(document, "/a/4") == "xA");
  CHECK(written(document, "/a/5") == "{}");
  CHECK(written(document, "/b") == "{\"c\":\"d\"}");
  CHECK(written(document, document.node(document.at("/b")).key) == "\"b\"");
  CHECK(document.format() == Format::json);
}

TEST_CASE("a number at the end of the text keeps its last digit") {
  CHECK(written(json("12"), "") == "12");
  CHECK(written(json("12\n"), "") == "12");
  CHECK(written(json("[12]"), "/0") == "12");
}

TEST_CASE("surrogate pairs are one character and lone surrogates are refused") {
  CHECK(value(json("[\"\\ud83d\\ude00\"]"), "/0") == "\xf0\x9f\x98\x80");
  CHECK(starts_with(json_error("[\"\\ud83d\"]"), "a.json:1:"));
}

TEST_CASE("big integers are kept as written and numbers past a double are refused") {
  CHECK(value(json("[123456789012345678901234567890]"), "/0") == "123456789012345678901234567890");
  CHECK(json_error("[1e999]") ==
        "a.json:1:2: a number larger than a double can hold; write a smaller one");
}

TEST_CASE("duplicate keys of JSON are noted and the last one wins") {
  const Document document = json("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}");
  CHECK(problem_kinds(document) == std::vector<ProblemKind>{ProblemKind::duplicate_key});
  CHECK(document.problems()[0].begin == 1);
  CHECK(value(document, "/a") == "3");
}

TEST_CASE("JSON with comments and trailing commas is read and noted") {
  const Document document = json(
      "{ // one\n \"u\": \"http://x\", /* two\n lines */ \"l\": [1, 2, ], # three\n \"n\": NaN,\n"
      " \"i\": [-Infinity, Infinity],\n}");
  CHECK(value(document, "/u") == "http://x");
  CHECK(written(document, "/n") == "NaN");
  CHECK(written(document, "/i/0") == "-Infinity");
  CHECK(document.items(document.at("/l")).size() == 2);
  CHECK(comments(document) == std::vector<std::string>{"// one", "/* two\n lines */", "# three"});
  CHECK(notes(document) == std::vector<std::string>{"1 `//` comment", "1 `/* */` comment",
                                                    "2 trailing commas", "1 `#` comment", "1 NaN",
                                                    "2 Infinitys"});
}

TEST_CASE("text without quotes ends with its line, as in Hjson, and is noted") {
  const Document document = json("{\"out\": /data/run 1  \n, \"n\": 2, \"b\": true, \"l\": [1]}");
  CHECK(value(document, "/out") == "/data/run 1");
  CHECK(value(document, "/n") == "2");
  CHECK(notes(document) == std::vector<std::string>{"1 unquoted value"});
}

TEST_CASE("strict JSON has no note") { CHECK(json("{\"a\": \"// no\"}").problems().empty()); }

TEST_CASE("a comma without a value before it is a mistake") {
  CHECK(starts_with(json_error("[,]"), "a.json:1:2: not JSON"));
  CHECK(starts_with(json_error("[1,,]"), "a.json:1:4: not JSON"));
  CHECK(starts_with(json_error("{,}"), "a.json:1:2: not JSON"));
}

TEST_CASE("mistakes in JSON have a place and say what was expected") {
  CHECK(json_error("{\"a\" 1}") ==
        "a.json:1:6: not JSON: object separator - unexpected number literal; expected ':'; repair "
        "it here, or rename the file if it is not JSON");
  CHECK(starts_with(json_error("{\n  \"a\": CONFIG_A,\n  \"b\": 1\n}"), "a.json:2:8: "));
  CHECK(starts_with(json_error("[CONFIG_A]"), "a.json:1:2: "));
  CHECK(starts_with(json_error("{\"a\": 1 \"b\": 2}"), "a.json:1:9: "));
  CHECK(starts_with(json_error("[\"a\\x\"]"), "a.json:1:5: "));
  CHECK(starts_with(json_error("[\"abc"), "a.json:1:2: "));
  CHECK(starts_with(json_error("{\"a\": [1, 2}"), "a.json:1:12: "));
  CHECK(starts_with(json_error(""), "a.json:1:1: "));
  CHECK(json_error("{} {}") ==
        "a.json:1:4: not JSON: value - unexpected '{'; expected end of input; repair it here, or "
        "rename the file if it is not JSON");
  CHECK(starts_with(json_error("{\"a\": 1, // c\n \"b\": x}"), "a.json:2:7: "));
}

TEST_CASE("a comment that never ends is refused") {
  CHECK(starts_with(json_error("{} /* x"), "a.json:1:4: "));
}

TEST_CASE("a zero byte ends no JSON text") {
  using namespace std::string_literals;
  CHECK(starts_with(json_error("123\0"s), "a.json:1:4: byte 0x00"));
}

TEST_CASE("JSON behind a byte order mark has its spans") {
  CHECK(written(json("\xef\xbb\xbf{\"a\": 1}"), "/a") == "1");
}

TEST_CASE("deep JSON ends at the limit and never at the stack") {
  const Result<Document> document = read_json("a.json", std::string(100000, '['), 0);
  REQUIRE_FALSE(document.has_value());
  CHECK(document.error().limit);
  CHECK(document.error().place == LineColumn{1, 201});
}

TEST_CASE("the node limit holds for JSON") {
  ReadLimits limits;
  limits.max_nodes = 3;
  CHECK_FALSE(read_json("a.json", "[1,2,3]", 0, limits).has_value());
  CHECK(read_json("a.json", "[1,2]", 0, limits).has_value());
}

TEST_CASE("the file name chooses the reader") {
  CHECK(read_document("a/X.JSON", "{}", 0)->format() == Format::json);
  CHECK(read_document(".env", "A=1", 0)->format() == Format::env);
  CHECK(read_document("c/.env.local", "A=1", 0)->format() == Format::env);
  CHECK(read_document("prod.env", "A=1", 0)->format() == Format::env);
  CHECK(read_document("run.sh", "A=1", 0)->format() == Format::env);
  CHECK(read_document("a.yml", "a: 1", 0)->format() == Format::yaml);
  CHECK(read_document("a", "a: 1", 0)->format() == Format::yaml);
}
