#include "report/wrap.h"

#include "report/style.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

namespace gpulint {
namespace {

TEST_CASE("a line that fits stays as it is, to the last column") {
  CHECK(wrap_lines("one two\n", 7) == "one two\n");
  CHECK(wrap_lines("  a  b\n\nc", 80) == "  a  b\n\nc");
}

TEST_CASE("a long line breaks between words, and what follows is indented") {
  CHECK(wrap_lines("one two three four\n", 10) == "one two\n  three\n  four\n");
}

TEST_CASE("what follows a mark stands behind it") {
  CHECK(wrap_lines("   = one two three\n", 12) == "   = one two\n     three\n");
}

TEST_CASE("the last column of a table continues under itself") {
  CHECK(wrap_lines("  --gpu ID  target GPU of the run\n", 24) ==
        "  --gpu ID  target GPU\n            of the run\n");
}

TEST_CASE("a line that continues a column stays in it") {
  const std::string margin(22, ' ');
  CHECK(wrap_lines(margin + "one two three four\n", 38) ==
        margin + "one two three\n" + margin + "four\n");
}

TEST_CASE("large numbers have thousands and no exponent") {
  CHECK(significant(1284.7, 3) == "1,280");
  CHECK(significant(123'456, 4) == "123,500");
  CHECK(significant(999.6, 3) == "1,000");
  CHECK(significant(0.01234, 3) == "0.0123");
  CHECK(significant(42, 3) == "42");
}

TEST_CASE("a word longer than the line is not cut") {
  CHECK(wrap_lines("see configs/a_long_name.yaml\n", 10) == "see\n  configs/a_long_name.yaml\n");
}

TEST_CASE("colours and wide characters take the columns they are shown in") {
  const std::string red = paint("red", Role::error, true);
  CHECK(wrap_lines(red + " is red\n", 10) == red + " is red\n");
  CHECK(wrap_lines("\u4f60\u597d \u4f60\u597d\n", 8) == "\u4f60\u597d\n  \u4f60\u597d\n");
}

TEST_CASE("lines of source behind their bar are left alone") {
  const std::string excerpt = " 2 | batch_size: 512 # a comment\n   |             ^^^\n";
  CHECK(wrap_lines(excerpt, 16) == excerpt);
}

double brightness(int channel) {
  const double share = channel / 255.0;
  return share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

/// Relative luminance of a colour of the 256-colour palette (WCAG 2, xterm's levels).
double luminance(int color) {
  constexpr std::array<int, 6> kLevels{0, 95, 135, 175, 215, 255};
  if (color >= 232) return brightness(8 + 10 * (color - 232));
  const auto level = [&](int divisor) {
    return kLevels[static_cast<std::size_t>((color - 16) / divisor % 6)];
  };
  return 0.2126 * brightness(level(36)) + 0.7152 * brightness(level(6)) +
         0.0722 * brightness(level(1));
}

TEST_CASE("every colour can be read on black and on white") {
  for (const Role role : {Role::error, Role::warning, Role::note, Role::fix, Role::gutter}) {
    const std::string painted = paint("x", role, true);
    const std::size_t at = painted.find("38;5;");
    REQUIRE(at != std::string::npos);
    const double light = luminance(std::stoi(painted.substr(at + 5)));
    CHECK((light + 0.05) / 0.05 >= 4.0);
    CHECK(1.05 / (light + 0.05) >= 4.0);
  }
}

}  // namespace
}  // namespace gpulint
