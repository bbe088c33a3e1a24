#include "report/excerpt.h"

#include "report/style.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

Excerpt excerpt(const std::string& text, const std::string& part, int width = 80) {
  const SourceText source{"a.yaml", text, LineIndex(text)};
  const auto at = static_cast<std::uint32_t>(text.find(part));
  return excerpt_of(source, {0, at, at + static_cast<std::uint32_t>(part.size())}, width);
}

}  // namespace

TEST_CASE("the part meant is underlined") {
  const Excerpt e = excerpt("a: 1\nbatch_size: 256  # x\n", "256");
  CHECK(e.line == 2);
  CHECK(e.text == "batch_size: 256  # x");
  CHECK(e.underline == "            ^^^");
}

TEST_CASE("a tab takes one column and wide characters two") {
  const Excerpt e = excerpt("\t名前: 模型\n", "模型");
  CHECK(e.text == " 名前: 模型");
  CHECK(e.underline == "       ^^^^");
}

TEST_CASE("control characters are shown escaped and counted as shown") {
  const Excerpt e = excerpt("k\x1b[2J: v\n", "v");
  CHECK(e.text == "k\\x1b[2J: v");
  CHECK(e.underline == "          ^");
}

TEST_CASE("a span over several lines is underlined to the end of its first") {
  const Excerpt e = excerpt("a: [1,\n 2]\n", "[1,\n 2]");
  CHECK(e.text == "a: [1,");
  CHECK(e.underline == "   ^^^");
}

TEST_CASE("an empty place gets one caret") {
  const std::string text = "lr:\n";
  const SourceText source{"a.yaml", text, LineIndex(text)};
  const Excerpt e = excerpt_of(source, {0, 3, 3}, 80);
  CHECK(e.text == "lr:");
  CHECK(e.underline == "   ^");
}

TEST_CASE("a long line is cut around the part meant") {
  const Excerpt e = excerpt(std::string(5000, 'x') + "HERE" + std::string(5000, 'y'), "HERE", 40);
  CHECK(e.text.starts_with("...x"));
  CHECK(e.text.ends_with("y..."));
  CHECK(e.text.find("HERE") == e.underline.find("^^^^"));
  CHECK(display_width(e.text) <= 40);
}

TEST_CASE("a byte order mark is not a character") {
  const Excerpt e = excerpt("\xef\xbb\xbflr: 1\n", "1");
  CHECK(e.text == "lr: 1");
  CHECK(e.underline == "    ^");
}

TEST_CASE("bytes that are not UTF-8 are shown as such") {
  CHECK(excerpt("a: \xff\xfe 1\n", "1").text == "a: \\xff\\xfe 1");
}

TEST_CASE("numbers get thousands separators") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(-1234567) == "-1,234,567");
}
