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

/// The token behind the bracket that opens at `at`.
std::size_t behind_bracket(std::string_view source, const std::vector<Token>& tokens,
                           std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].kind != TokenKind::symbol) continue;
    const char c = source[tokens[at].begin];
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return at + 1;
  }
  return at;
}

bool ends_statement(TokenKind kind) {
  return kind == TokenKind::newline || kind == TokenKind::indent || kind == TokenKind::dedent ||
         kind == TokenKind::end;
}

/// A literal that is a statement of its own.
bool is_docstring(const std::vector<Token>& tokens, std::size_t at) {
  return tokens[at].kind == TokenKind::string && (at == 0 || ends_statement(tokens[at - 1].kind)) &&
         (at + 1 == tokens.size() || ends_statement(tokens[at + 1].kind));
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

std::string acting_text(std::string_view source) {
  const std::vector<Token> tokens =
      tokenize(source, 0, static_cast<std::uint32_t>(source.size()), false, nullptr);
  std::string acting(source.size(), ' ');
  const auto keep = [&](std::size_t begin, std::size_t end) {
    source.substr(begin, end - begin).copy(acting.data() + begin, end - begin);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_docstring(tokens, i)) continue;
    const std::string_view text = source.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    keep(tokens[i].begin, tokens[i].end);
    if (tokens[i].kind == TokenKind::name && text == "isinstance")
      i = behind_bracket(source, tokens, i + 1) - 1;
  }
  return acting;
}

}  // namespace gpulint::python
