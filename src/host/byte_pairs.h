#pragma once

#include "host/host_part.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::probe {

/// Byte-pair encoding in its plain form: of a word's neighbours, those that were learned first are
/// joined, again and again.
class BytePairs {
 public:
  /// Learns up to `merges` pairs from words, the most frequent one first.
  BytePairs(const std::vector<std::string>& words, int merges);
  /// Tokens of a word; bytes are the tokens 0 to 255.
  std::vector<int> encode(const std::string& word) const;

 private:
  using Pair = std::pair<int, int>;
  std::map<Pair, int> joined_;  // the token two become; lower ones were learned before
};

/// Words whose frequencies fall as those of a language do (Zipf).
std::vector<std::string> generated_words(int count, unsigned seed);

/// Encodes generated text on one core.
void measure_byte_pairs(const PartWriter& writer);

}  // namespace gpulint::probe
