#include "lsp/documents.h"
#include "lsp/positions.h"
#include "lsp/uri.h"

#include <doctest/doctest.h>

namespace lsp_text_test {

using namespace gpulint;
using namespace gpulint::lsp;

namespace {

// One, two, three and four bytes; the last is two units of UTF-16.
constexpr std::string_view kMixed = "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z\nlr: 1\r\n";

std::uint32_t offset_in(std::string_view text, Units units, Position position) {
  const LineIndex lines(text);
  return TextPlaces(text, lines, units).offset(position);
}

Position place_in(std::string_view text, Units units, std::uint32_t offset) {
  const LineIndex lines(text);
  return TextPlaces(text, lines, units).at(offset);
}

Json change_at(Position from, Position to, std::string text) {
  return {{"range", {{"start", json_of(from)}, {"end", json_of(to)}}}, {"text", std::move(text)}};
}

}  // namespace

TEST_CASE("characters are counted in the units that were agreed on") {
  CHECK(place_in(kMixed, Units::utf8, 10) == Position{0, 10});
  CHECK(place_in(kMixed, Units::utf16, 10) == Position{0, 5});
  CHECK(place_in(kMixed, Units::utf32, 10) == Position{0, 4});
  CHECK(offset_in(kMixed, Units::utf8, {0, 10}) == 10);
  CHECK(offset_in(kMixed, Units::utf16, {0, 5}) == 10);
  CHECK(offset_in(kMixed, Units::utf32, {0, 4}) == 10);
}

TEST_CASE("a position inside of a code point is the place before it") {
  CHECK(offset_in(kMixed, Units::utf16, {0, 4}) == 6);
  CHECK(offset_in(kMixed, Units::utf8, {0, 8}) == 6);
}

TEST_CASE("positions behind a line mean its end, behind the text its end") {
  CHECK(offset_in(kMixed, Units::utf16, {1, 99}) == 17);
  CHECK(offset_in(kMixed, Units::utf16, {9, 0}) == kMixed.size());
  CHECK(offset_in("", Units::utf16, {0, 5}) == 0);
  CHECK(place_in("", Units::utf16, 7) == Position{0, 0});
  CHECK(place_in(kMixed, Units::utf16, 999) == Position{2, 0});
}

TEST_CASE("the client's first encoding that is known counts, and UTF-16 without a list") {
  const auto agreed = [](Json list) {
    return agreed_units({{"general", {{"positionEncodings", std::move(list)}}}});
  };
  CHECK(agreed_units(Json::object()) == Units::utf16);
  CHECK(agreed({"utf-7", "utf-8", "utf-16"}) == Units::utf8);
  CHECK(agreed({"utf-16", "utf-8"}) == Units::utf16);
  CHECK(agreed({"utf-32"}) == Units::utf32);
}

TEST_CASE("an edit replaces a range, and without a range the whole text") {
  std::string text = "a: 1\nb: \xf0\x9f\x98\x80 x\n";
  CHECK(apply_change(text, change_at({1, 6}, {1, 7}, "why"), Units::utf16));
  CHECK(text == "a: 1\nb: \xf0\x9f\x98\x80 why\n");
  CHECK(apply_change(text, change_at({0, 0}, {1, 0}, ""), Units::utf16));
  CHECK(text == "b: \xf0\x9f\x98\x80 why\n");
  CHECK(apply_change(text, {{"text", "c: 2\n"}}, Units::utf16));
  CHECK(text == "c: 2\n");
}

TEST_CASE("an edit that makes no sense leaves the text as it is") {
  std::string text = "a: 1\n";
  CHECK_FALSE(apply_change(text, change_at({0, 3}, {0, 1}, "x"), Units::utf16));
  CHECK_FALSE(apply_change(text, {{"range", Json::object()}, {"text", "x"}}, Units::utf16));
  CHECK_FALSE(apply_change(text, {{"text", 1}}, Units::utf16));
  CHECK_FALSE(apply_change(text, 5, Units::utf16));
  CHECK(text == "a: 1\n");
}

TEST_CASE("file URIs are paths, in every spelling of a client") {
  CHECK(path_of_uri("file:///p/a%20b/c%C3%A9.yaml") == "/p/a b/c\xc3\xa9.yaml");
  CHECK(path_of_uri("file://localhost/p/./a.yaml") == "/p/a.yaml");
  CHECK(path_of_uri("FILE:///p/a.yaml#L3") == "/p/a.yaml");
  CHECK(uri_of_path("/p/a b/c\xc3\xa9+.yaml") == "file:///p/a%20b/c%C3%A9%2B.yaml");
}

TEST_CASE("what is no file of this machine has no path") {
  CHECK_FALSE(path_of_uri("untitled:Untitled-1"));
  CHECK_FALSE(path_of_uri("file://elsewhere/p"));
  CHECK_FALSE(path_of_uri("file:///p%00"));
  CHECK_FALSE(path_of_uri("file:///p%2"));
  CHECK_FALSE(path_of_uri("file:///p%zz"));
  CHECK_FALSE(path_of_uri(""));
}

}  // namespace lsp_text_test
