#include "host/byte_pairs.h"

#include "host/worker_rates.h"

#include <algorithm>
#include <memory>
#include <random>

namespace gpulint::probe {
namespace {

constexpr int kBytes = 256;

std::vector<int> bytes_as_tokens(const std::string& word) {
  std::vector<int> tokens;
  for (const char c : word) tokens.push_back(static_cast<unsigned char>(c));
  return tokens;
}

/// Replaces each `pair` by `token`.
void join_pair(std::vector<int>& tokens, const std::pair<int, int>& pair, int token) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool joins =
        i + 1 < tokens.size() && tokens[i] == pair.first && tokens[i + 1] == pair.second;
    tokens[kept++] = joins ? token : tokens[i];
    if (joins) ++i;
  }
  tokens.resize(kept);
}

}  // namespace

BytePairs::BytePairs(const std::vector<std::string>& words, int merges) {
  std::map<std::string, int> counts;
  for (const std::string& word : words) ++counts[word];
  std::vector<std::pair<std::vector<int>, int>> texts;
  for (const auto& [word, count] : counts) texts.emplace_back(bytes_as_tokens(word), count);
  for (int token = kBytes; token < kBytes + merges; ++token) {
    std::map<Pair, int> pairs;
    for (const auto& [tokens, count] : texts) {
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        pairs[{tokens[i], tokens[i + 1]}] += count;
      }
    }
    const auto most =
        std::max_element(pairs.begin(), pairs.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == pairs.end() || most->second < 2) return;
    joined_[most->first] = token;
    for (auto& [tokens, count] : texts) join_pair(tokens, most->first, token);
  }
}

std::vector<int> BytePairs::encode(const std::string& word) const {
  std::vector<int> tokens = bytes_as_tokens(word);
  while (tokens.size() > 1) {
    auto first = joined_.end();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto found = joined_.find({tokens[i], tokens[i + 1]});
      if (found == joined_.end()) continue;
      if (first == joined_.end() || found->second < first->second) first = found;
    }
    if (first == joined_.end()) break;
    join_pair(tokens, first->first, first->second);
  }
  return tokens;
}

std::vector<std::string> generated_words(int count, unsigned seed) {
  constexpr int kVocabulary = 2000;
  constexpr const char* kSyllables[] = {"an", "be",  "con", "de",   "er",  "fo", "gra",
                                        "hi", "in",  "lo",  "ment", "ne",  "or", "pre",
                                        "re", "sta", "ti",  "un",   "ver", "y"};
  std::minstd_rand random(seed);
  std::uniform_int_distribution<std::size_t> syllable(0, std::size(kSyllables) - 1);
  std::vector<std::string> vocabulary;
  std::vector<double> shares;
  for (int rank = 1; rank <= kVocabulary; ++rank) {
    std::string word = " ";
    // Frequent words are short.
    const int length = 1 + rank % 4 * rank / (kVocabulary / 2 + rank);
    for (int i = 0; i <= length; ++i) word += kSyllables[syllable(random)];
    vocabulary.push_back(std::move(word));
    shares.push_back(1.0 / rank);
  }
  std::discrete_distribution<std::size_t> choice(shares.begin(), shares.end());
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(vocabulary[choice(random)]);
  return words;
}

void measure_byte_pairs(const PartWriter& writer) {
  constexpr int kWords = 20'000;
  constexpr int kMerges = 500;
  constexpr std::size_t kWordsOfRound = 200;
  const std::vector<std::string> words = generated_words(kWords, 1);
  const BytePairs pairs(words, kMerges);
  double bytes = 0;
  for (const std::string& word : words) bytes += static_cast<double>(word.size());
  auto rates = worker_rates({.workers = 1}, [&](int) -> Round {
    return [&words, &pairs, next = std::size_t{0}]() mutable {
      for (std::size_t i = 0; i < kWordsOfRound; ++i) {
        if (pairs.encode(words[next]).empty()) return false;
        next = (next + 1) % words.size();
      }
      return true;
    };
  });
  if (!rates) return writer.missing(name_of(FigureKind::byte_pairs), "its process ended early");
  for (double& rate : *rates) rate *= bytes / kWords * static_cast<double>(kWordsOfRound);
  writer.figure(figure_of(FigureKind::byte_pairs, *rates, 1,
                          "gpulint's own plain loop over generated text, no word remembered; "
                          "tokenizer libraries differ by a factor"));
}

}  // namespace gpulint::probe
