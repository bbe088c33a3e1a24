#include "code/word_parts.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint {
namespace {

bool is_letter(char c) { return is_name_part(c) && c != '_' && (c < '0' || c > '9'); }

/// A word that begins at `at` of a text begins inside one of these names.
bool begins_in(std::string_view text, std::size_t at, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::size_t first = at + 1 > name.size() ? at + 1 - name.size() : 0;
    return text.substr(0, at + name.size()).find(name, first) != text.npos;
  });
}

bool has_part(std::string_view text, std::string_view word, const std::vector<std::string>& apart) {
  const bool begins = word.starts_with('^');
  const bool ends = word.ends_with('$');
  word.remove_prefix(begins ? 1 : 0);
  word.remove_suffix(ends ? 1 : 0);
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool is_begun = !begins || at == 0 || !is_letter(text[at - 1]);
    const bool is_whole = is_begun && (!ends || end == text.size() || !is_letter(text[end]));
    if (is_whole && !begins_in(text, at, apart)) return true;
  }
  return false;
}

}  // namespace

bool has_word_part(std::string_view text, std::string_view word) {
  return has_part(text, word, {});
}

bool has_any_part(std::string_view text, const std::vector<std::string>& words,
                  const std::vector<std::string>& apart_from) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return has_part(text, word, apart_from); });
}

}  // namespace gpulint
