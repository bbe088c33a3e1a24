#include "catalog/gpu_words.h"

#include "base/text.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : to_lower(text)) {
    if (is_word_character(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string without_brand(std::string word, std::span<const std::string> brands) {
  for (const std::string_view brand : brands) {
    if (std::string_view(word).starts_with(brand)) return word.substr(brand.size());
  }
  return word;
}

/// Driver names have spaces and capitals; an id is written as the loader demands.
bool is_id(std::string_view candidate) {
  return std::all_of(candidate.begin(), candidate.end(),
                     [](char c) { return is_word_character(c) || c == '-'; });
}

bool holds(const std::vector<std::string>& words, std::string_view start) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.starts_with(start); });
}

}  // namespace

std::vector<std::string_view> gpu_ids_meant(std::string_view word,
                                            std::span<const std::string_view> ids,
                                            std::span<const std::string> brands) {
  std::vector<std::string> wanted;
  for (std::string& each : words_of(word)) {
    std::string kept = without_brand(std::move(each), brands);
    if (!kept.empty()) wanted.push_back(std::move(kept));
  }
  std::vector<std::string_view> meant;
  if (wanted.empty()) return meant;
  for (const std::string_view id : ids) {
    const std::vector<std::string> words = words_of(id);
    const bool all = std::all_of(wanted.begin(), wanted.end(),
                                 [&](const std::string& start) { return holds(words, start); });
    if (all && is_id(id)) meant.push_back(id);
  }
  return meant;
}

std::string similar_gpus(std::string_view word, std::span<const std::string_view> ids,
                         std::span<const std::string> brands) {
  const std::vector<std::string_view> meant = gpu_ids_meant(word, ids, brands);
  if (meant.empty()) return did_you_mean(word, ids);
  const std::vector<std::string> names(meant.begin(), meant.end());
  return (names.size() > 1 ? " (write one of " : " (write ") + join(names, ", ") + ")";
}

}  // namespace gpulint
