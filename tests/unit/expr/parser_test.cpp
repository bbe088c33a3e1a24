#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

namespace gpulint::expr {
namespace {

using fixture::error_of;

std::string repeated(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST_CASE("syntax errors say what was found and what was expected, with its bytes") {
  CHECK(error_of("") == "an expression is missing here @0-0");
  CHECK(error_of("  ") == "an expression is missing here @2-2");
  CHECK(error_of("1 +") == "found the end, expected a value @3-3");
  CHECK(error_of("1 2") == "found \"2\", expected an operator or the end @2-3");
  CHECK(error_of("(1 + 2") == "found the end, expected \")\" @6-6");
  CHECK(error_of("1 + )") == "found \")\", expected a value @4-5");
  CHECK(error_of("[1, 2") == "found the end, expected \",\" or \"]\" @5-5");
  CHECK(error_of("min(1 2)") == "found \"2\", expected \",\" or \")\" @6-7");
  CHECK(error_of("sizes[0") == "found the end, expected \"]\" @7-7");
  CHECK(error_of("1 if true") == "found the end, expected \"else\" @9-9");
  CHECK(error_of("model not 'a'") == "found \"'a'\", expected \"in\" behind \"not\" @10-13");
  CHECK(error_of("and") == "found \"and\", expected a value @0-3");
}

TEST_CASE("habits of other languages get the right spelling") {
  CHECK(error_of("num_workers = 1") == "\"=\" does not compare; write \"==\" @12-13");
  CHECK(error_of("!pin_memory") == "write \"not\" instead of \"!\" @0-1");
  CHECK(error_of("pin_memory && compile") == "write \"and\" instead of \"&&\" @11-13");
  CHECK(error_of("pin_memory || compile") == "write \"or\" instead of \"||\" @11-13");
  CHECK(error_of("1 < 2 < 3") == "comparisons do not chain; write \"a < b and b < c\" @6-7");
  CHECK(error_of("1 # 2") == "no expression contains this character @2-3");
}

TEST_CASE("text must be closed and escapes only quotes and backslashes") {
  CHECK(error_of("'abc") == "this text has no closing quote @0-4");
  CHECK(error_of("'a\\") == "this text has no closing quote @0-3");
  CHECK(error_of(R"('a\n')") == "a backslash in text escapes only a quote or a backslash @0-3");
}

TEST_CASE("numbers must fit and units must exist") {
  CHECK(error_of("9223372036854775808") == "this number is too large @0-19");
  CHECK(error_of("1e999") == "this number is too large @0-5");
  CHECK(error_of("1e308 GiB") == "this number is too large @0-5");
  CHECK(error_of("4 Gib") == "unknown unit \"Gib\" (did you mean \"GiB\"?) @2-5");
  CHECK(error_of("4 apples") == "unknown unit \"apples\" @2-8");
}

TEST_CASE("builtins check the number of their arguments") {
  CHECK(error_of("abs()") == "abs() takes 1 argument, found 0 @0-3");
  CHECK(error_of("abs(1, 2)") == "abs() takes 1 argument, found 2 @0-3");
  CHECK(error_of("round_up(1)") == "round_up() takes 2 arguments, found 1 @0-8");
  CHECK(error_of("min()") == "min() takes 1 or more arguments, found 0 @0-3");
}

TEST_CASE("stated takes one plain name") {
  CHECK(error_of("stated(num_workers + 1)") == "stated() takes the name of one fact @0-6");
  CHECK(error_of("stated(3)") == "stated() takes the name of one fact @0-6");
  CHECK(error_of("stated()") == "stated() takes the name of one fact @0-6");
}

TEST_CASE("a trailing comma in a list is allowed") {
  CHECK(error_of("[1, 2,]") == "");
  CHECK(error_of("[,]") == "found \",\", expected a value @1-2");
}

TEST_CASE("nesting is limited to 64 whatever nests") {
  CHECK(error_of(repeated("(", 64) + "1" + repeated(")", 64)) == "");
  CHECK(error_of(repeated("(", 65) + "1" + repeated(")", 65)) ==
        "this expression nests deeper than 64 @65-66");
  CHECK(error_of(repeated("not ", 65) + "true").starts_with("this expression nests deeper"));
  CHECK(error_of(repeated("- ", 65) + "1").starts_with("this expression nests deeper"));
  CHECK(error_of(repeated("[", 65)).starts_with("this expression nests deeper"));
  CHECK(error_of(repeated("abs(", 65)).starts_with("this expression nests deeper"));
  CHECK(error_of(repeated("1 if true else ", 65) + "1").starts_with("this expression nests"));
}

TEST_CASE("a long chain of operators needs no nesting") {
  const std::string source = "1" + repeated(" + 1", 3000);
  CHECK(error_of(source) == "");
  CHECK(fixture::value_of(source) == Value{std::int64_t{3001}});
  CHECK(error_of("true" + repeated(" and true", 1500)) == "");
}

TEST_CASE("an expression of more than 16 KiB is refused") {
  CHECK(error_of("1" + repeated(" ", 16 * 1024 - 1)) == "");
  CHECK(error_of("1" + repeated(" ", 16 * 1024)) ==
        "this expression is longer than 16 KiB; split it @0-0");
}

TEST_CASE("any bytes are refused or parsed, never a crash") {
  std::uint32_t state = 12345;
  for (int round = 0; round < 3000; ++round) {
    const std::string_view alphabet = "ab.1'\"()[]+-*/%<>=!?,andorinotifelse \\\x80\xff\n";
    std::string source;
    for (int i = 0; i < 24; ++i) {
      state = state * 1664525U + 1013904223U;
      source += alphabet[(state >> 16) % alphabet.size()];
    }
    Result<Expression> parsed = Expression::parse(source);
    if (parsed) (void)parsed->bind(fixture::table());
    (void)Template::parse("{" + source + "}");
  }
}

TEST_CASE("names lists symbols and named functions, sorted, once each") {
  const Expression expression = *Expression::parse(
      "stated(num_workers) and num_workers > fit.batch(per_device_batch_size) or min(1, 2) > 1");
  CHECK(expression.names() ==
        std::vector<std::string>{"fit.batch", "num_workers", "per_device_batch_size"});
}

}  // namespace
}  // namespace gpulint::expr
