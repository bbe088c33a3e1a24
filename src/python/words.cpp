#include "python/words.h"

#include "python/lexer.h"

#include <algorithm>

namespace gpulint::python {
namespace {

constexpr std::size_t kLongestPath = 200;  // of a key; what is longer is prose

/// The text between the quotes of a literal.
std::string_view inside_of(std::string_view literal) {
  while (!literal.empty() && is_name_start(literal.front())) literal.remove_prefix(1);
  const bool is_triple =
      literal.size() >= 6 && literal[0] == literal[1] && literal[1] == literal[2];
  const std::size_t quotes = is_triple ? 3 : 1;
  return literal.size() < 2 * quotes ? std::string_view()
                                     : literal.substr(quotes, literal.size() - 2 * quotes);
}

void add_path(std::string_view text, std::vector<std::string_view>& words) {
  while (text.starts_with('-')) text.remove_prefix(1);
  const bool is_path = !text.empty() && text.size() <= kLongestPath &&
                       std::all_of(text.begin(), text.end(), [](char c) {
                         return is_name_part(c) || c == '.' || c == '-' || c == '/';
                       });
  if (!is_path) return;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("./"), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view source) {
  std::vector<std::string_view> words;
  for (const Token& token :
       tokenize(source, 0, static_cast<std::uint32_t>(source.size()), false, nullptr)) {
    const std::string_view text = source.substr(token.begin, token.end - token.begin);
    if (token.kind == TokenKind::name) {
      words.push_back(text);
    } else if (token.kind == TokenKind::string) {
      add_path(inside_of(text), words);
    }
  }
  return words;
}

}  // namespace gpulint::python
