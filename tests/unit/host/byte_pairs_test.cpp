#include "host/byte_pairs.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;

TEST_CASE("the most frequent pair is joined first, then pairs of pairs") {
  const BytePairs pairs({"abab", "abab", "abc"}, 2);
  // 256 = "ab", 257 = "abab"
  CHECK(pairs.encode("abab") == std::vector<int>{257});
  CHECK(pairs.encode("abc") == std::vector<int>{256, 'c'});
  CHECK(pairs.encode("xyz") == std::vector<int>{'x', 'y', 'z'});
  CHECK(pairs.encode("").empty());
}

TEST_CASE("pairs that occur once are not learned") {
  const BytePairs pairs({"ab"}, 10);
  CHECK(pairs.encode("ab") == std::vector<int>{'a', 'b'});
}

TEST_CASE("generated text is the same for the same seed, and short words are frequent") {
  CHECK(generated_words(100, 1) == generated_words(100, 1));
  CHECK(generated_words(100, 1) != generated_words(100, 2));
}
