#include "source/scalar.h"

#include "unit/source/source_testing.h"

#include <cmath>

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

/// "int 12", "float 0.5", "bool true", "null" or "text": the type and value of plain text.
std::string type(std::string_view text, ScalarSchema schema) {
  const ScalarValue value = interpret_plain(text, schema);
  if (std::holds_alternative<Null>(value)) return "null";
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "bool true" : "bool false";
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value))
    return "int " + std::to_string(*number);
  if (const double* number = std::get_if<double>(&value)) {
    if (std::isnan(*number)) return "float nan";
    if (std::isinf(*number)) return *number > 0 ? "float inf" : "float -inf";
    std::string digits = std::to_string(*number);
    while (digits.back() == '0') digits.pop_back();
    return "float " + digits;
  }
  return "text";
}

struct Row {
  std::string_view text, yaml11, yaml12, omegaconf;
};

}  // namespace

// Values as PyYAML 6.0.3 and OmegaConf 2.4.0 give them, and the YAML 1.2 core schema defines them.
TEST_CASE("plain scalars are typed as their loader types them") {
  const Row rows[] = {
      {"1e-4", "text", "float 0.0001", "float 0.0001"},
      {"2e5", "text", "float 200000.", "float 200000."},
      {"1.0e-4", "float 0.0001", "float 0.0001", "float 0.0001"},
      {"1.0e4", "text", "float 10000.", "float 10000."},
      {"1.e+3", "float 1000.", "float 1000.", "float 1000."},
      {"1_000", "int 1000", "text", "int 1000"},
      {"1_000.5", "float 1000.5", "text", "float 1000.5"},
      {".5", "float 0.5", "float 0.5", "float 0.5"},
      {"-.5", "text", "float -0.5", "text"},
      {"5.", "float 5.", "float 5.", "float 5."},
      {"yes", "bool true", "text", "bool true"},
      {"NO", "bool false", "text", "bool false"},
      {"on", "bool true", "text", "bool true"},
      {"Off", "bool false", "text", "bool false"},
      {"yEs", "text", "text", "text"},
      {"y", "text", "text", "text"},
      {"True", "bool true", "bool true", "bool true"},
      {"FALSE", "bool false", "bool false", "bool false"},
      {"None", "text", "text", "text"},
      {"null", "null", "null", "null"},
      {"~", "null", "null", "null"},
      {"", "null", "null", "null"},
      {"012", "int 10", "int 12", "int 10"},
      {"0o14", "text", "int 12", "text"},
      {"08", "text", "int 8", "text"},
      {"0x1F", "int 31", "int 31", "int 31"},
      {"0b101", "int 5", "text", "int 5"},
      {"0b_", "text", "text", "text"},
      {"1:30", "int 90", "text", "int 90"},
      {"1:30:45", "int 5445", "text", "int 5445"},
      {"1:30.5", "float 90.5", "text", "float 90.5"},
      {"1:60", "text", "text", "text"},
      {"+12", "int 12", "int 12", "int 12"},
      {"-0", "int 0", "int 0", "int 0"},
      {".inf", "float inf", "float inf", "float inf"},
      {"-.INF", "float -inf", "float -inf", "float -inf"},
      {".nan", "float nan", "float nan", "float nan"},
      {"nan", "text", "text", "text"},
      {"9223372036854775807", "int 9223372036854775807", "int 9223372036854775807",
       "int 9223372036854775807"},
      {"-9223372036854775808", "int -9223372036854775808", "int -9223372036854775808",
       "int -9223372036854775808"},
      {"9223372036854775808", "float 9223372036854775808.", "float 9223372036854775808.",
       "float 9223372036854775808."},
      {"2025-01-01", "text", "text", "text"},
      {"1e400", "text", "float inf", "float inf"},
      {"1,5", "text", "text", "text"},
      {"-", "text", "text", "text"},
      {".", "text", "text", "text"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(type(row.text, ScalarSchema::yaml11) == row.yaml11);
    CHECK(type(row.text, ScalarSchema::yaml12) == row.yaml12);
    CHECK(type(row.text, ScalarSchema::omegaconf) == row.omegaconf);
  }
}

TEST_CASE("JSON has its own types and an env file only text") {
  CHECK(type("1e-4", ScalarSchema::json) == "float 0.0001");
  CHECK(type("true", ScalarSchema::json) == "bool true");
  CHECK(type("True", ScalarSchema::json) == "text");
  CHECK(type("-Infinity", ScalarSchema::json) == "float -inf");
  CHECK(type("01", ScalarSchema::json) == "text");
  CHECK(type("1", ScalarSchema::env) == "text");
}

TEST_CASE("quoted scalars are text and standard tags are obeyed") {
  const Document document = yaml(
      "a: \"1\"\nb: !!float \"2e-4\"\nc: !!int '3'\nd: !!str 4\ne: !!bool yes\nf: !!null x\n"
      "g: !t 7\nh: ! 8\ni: !!int x\n");
  const auto of = [&](std::string_view pointer) {
    return interpret(document, document.at(pointer), ScalarSchema::yaml11);
  };
  CHECK(of("/a") == ScalarValue(std::string("1")));
  CHECK(of("/b") == ScalarValue(0.0002));
  CHECK(of("/c") == ScalarValue(std::int64_t{3}));
  CHECK(of("/d") == ScalarValue(std::string("4")));
  CHECK(of("/e") == ScalarValue(true));
  CHECK(of("/f") == ScalarValue(Null{}));
  CHECK(of("/g") == ScalarValue(std::string("7")));
  CHECK(of("/h") == ScalarValue(std::string("8")));
  CHECK(of("/i") == ScalarValue(std::string("x")));
}

TEST_CASE("a JSON file has JSON's types whatever the schema of its dialect") {
  const Document document = json("[1e-4, \"yes\"]");
  CHECK(interpret(document, document.at("/0"), ScalarSchema::yaml11) == ScalarValue(1e-4));
  CHECK(interpret(document, document.at("/1"), ScalarSchema::yaml11) ==
        ScalarValue(std::string("yes")));
}

TEST_CASE("a lenient number is what a person meant") {
  CHECK(lenient_number("1e-4") == 1e-4);
  CHECK(lenient_number("2_000") == 2000.0);
  CHECK(lenient_number(" .5 ") == 0.5);
  CHECK(lenient_number("5e8") == 5e8);
  CHECK(lenient_number("-3") == -3.0);
  CHECK(lenient_number("+3.") == 3.0);
  for (const std::string_view text :
       {"", "nan", "inf", "1e999", "3x", "--3", "0x10", "1__0", "_1", "1_", "1 2", "e5", "."}) {
    CAPTURE(text);
    CHECK_FALSE(lenient_number(text).has_value());
  }
}

TEST_CASE("a lenient boolean knows every spelling in any case") {
  for (const std::string_view text : {"true", "YES", "On", "1"})
    CHECK(lenient_boolean(text) == true);
  for (const std::string_view text : {"False", "no", "oFF", "0"})
    CHECK(lenient_boolean(text) == false);
  for (const std::string_view text : {"", "y", "2", "none"})
    CHECK_FALSE(lenient_boolean(text).has_value());
}

TEST_CASE("sizes tell GB from GiB and say whether a unit was written") {
  CHECK(parse_bytes("230 MB")->bytes == 230e6);
  CHECK(parse_bytes("62GB")->bytes == 62e9);
  CHECK(parse_bytes("147 MiB")->bytes == 147.0 * 1024 * 1024);
  CHECK(parse_bytes("80 gib")->bytes == 80.0 * 1024 * 1024 * 1024);
  CHECK(parse_bytes("1.5Ki")->bytes == 1536.0);
  CHECK(parse_bytes("512")->bytes == 512.0);
  CHECK_FALSE(parse_bytes("512")->had_unit);
  CHECK(parse_bytes("512 B")->had_unit);
  for (const std::string_view text : {"16G", "GB", "", "5 XB", "5 GB/s", "all"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
}

TEST_CASE("a number that PyYAML reads as text is recognised") {
  const Document document =
      yaml("a: 2e-5\nb: 5e8\nc: 2.0e-5\nd: \"2e-5\"\ne: !!float 2e-5\nf: 1_000\ng: x\nh: 3\n");
  CHECK(is_number_only_in_yaml12(document, document.at("/a")));
  CHECK(is_number_only_in_yaml12(document, document.at("/b")));
  for (const std::string_view pointer : {"/c", "/d", "/e", "/f", "/g", "/h"}) {
    CAPTURE(pointer);
    CHECK_FALSE(is_number_only_in_yaml12(document, document.at(pointer)));
  }
  CHECK_FALSE(is_number_only_in_yaml12(json("[2e-5]"), 1));
}
