#include "code/word_parts.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint {
namespace {

bool is_letter(char c) { return is_name_part(c) && c != '_' && (c < '0' || c > '9'); }

}  // namespace

bool has_word_part(std::string_view text, std::string_view word) {
  const bool begins = word.starts_with('^');
  const bool ends = word.ends_with('$');
  word.remove_prefix(begins ? 1 : 0);
  word.remove_suffix(ends ? 1 : 0);
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool is_begun = !begins || at == 0 || !is_letter(text[at - 1]);
    if (is_begun && (!ends || end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool has_any_part(std::string_view text, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return has_word_part(text, word); });
}

}  // namespace gpulint
