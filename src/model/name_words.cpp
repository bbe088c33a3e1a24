#include "model/name_words.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpulint::model {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> words_of(std::string_view comparable) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= comparable.size();) {
    const std::size_t end = std::min(comparable.find('-', at), comparable.size());
    std::string word(comparable.substr(at, end - at));
    // Number formats were split before their digits.
    const bool format = !words.empty() && (words.back() == "nf" || words.back() == "int" ||
                                           words.back() == "fp" || words.back() == "bf");
    if (format) {
      words.back() += "-" + word;
    } else {
      words.push_back(std::move(word));
    }
    at = end + 1;
  }
  return words;
}

bool is_size(std::string_view word) {
  if (word.size() < 2 || (word.back() != 'b' && word.back() != 'm')) return false;
  word.remove_suffix(1);
  return is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

bool is_number(std::string_view word) {
  return !word.empty() && is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

std::string_view without_trailing_slashes(std::string_view name) {
  while (!name.empty() && (name.back() == '/' || name.back() == '\\')) name.remove_suffix(1);
  return name;
}

}  // namespace gpulint::model
