#include "finding/apply.h"

#include <doctest/doctest.h>

#include <vector>

using namespace gpulint;

namespace {

Edit replace(std::uint32_t begin, std::uint32_t end, std::string text, FileId file = 0) {
  return {{file, begin, end}, std::move(text)};
}

}  // namespace

TEST_CASE("edits are applied in the order of their places, whatever order they come in") {
  const std::vector<Edit> edits{replace(19, 22, "0.5"), replace(12, 14, "192")};
  const auto text = apply_edits("batch_size: 64\nlr: 0.1 # tuned\n", 0, edits);
  REQUIRE(text);
  CHECK(*text == "batch_size: 192\nlr: 0.5 # tuned\n");
}

TEST_CASE("an edit may insert at the start and at the end of the text") {
  const std::vector<Edit> edits{replace(0, 0, "a: 1\n"), replace(5, 5, "c: 3\n")};
  CHECK(*apply_edits("b: 2\n", 0, edits) == "a: 1\nb: 2\nc: 3\n");
}

TEST_CASE("an empty replacement deletes") {
  const std::vector<Edit> edits{replace(0, 5, "")};
  CHECK(*apply_edits("a: 1\nb: 2\n", 0, edits) == "b: 2\n");
}

TEST_CASE("edits of another file are left out") {
  const std::vector<Edit> edits{replace(0, 1, "x", 7)};
  CHECK(*apply_edits("abc", 0, edits) == "abc");
}

TEST_CASE("the same edit twice is one edit") {
  const std::vector<Edit> edits{replace(0, 1, "x"), replace(0, 1, "x")};
  CHECK_FALSE(find_collision(edits));
  CHECK(*apply_edits("abc", 0, edits) == "xbc");
}

TEST_CASE("edits that only touch do not collide") {
  const std::vector<Edit> edits{replace(0, 2, "x"), replace(2, 3, "y")};
  CHECK_FALSE(find_collision(edits));
  CHECK(*apply_edits("abc", 0, edits) == "xy");
}

TEST_CASE("overlapping edits are refused and named") {
  const std::vector<Edit> edits{replace(4, 6, "x"), replace(2, 5, "y")};
  const auto collision = find_collision(edits);
  REQUIRE(collision);
  CHECK(collision->first == 1);
  CHECK(collision->second == 0);
  const auto text = apply_edits("abcdefgh", 0, edits);
  REQUIRE_FALSE(text);
  CHECK(text.error().message == "two edits change the same text at byte 4");
}

TEST_CASE("two different insertions at one place are refused") {
  const std::vector<Edit> edits{replace(1, 1, "x"), replace(1, 1, "y")};
  CHECK(find_collision(edits));
}

TEST_CASE("an edit outside the text is refused") {
  const std::vector<Edit> edits{replace(2, 9, "x")};
  const auto text = apply_edits("abc", 0, edits);
  REQUIRE_FALSE(text);
  CHECK(text.error().message == "an edit of bytes 2 to 9 lies outside a text of 3 bytes");
}
