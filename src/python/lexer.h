#pragma once

// Tokens of Python source. Internal to this room.

#include "python/syntax.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpulint::python {

enum class TokenKind : std::uint8_t {
  end,
  name,
  number,
  string,
  symbol,  // `code` tells which
  newline,
  indent,
  dedent,
  invalid,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// All tokens of [begin, end) of `source`. Blank lines and comments leave none; brackets that never
/// close end where a line begins with a statement's keyword. `nested`: the range is an expression
/// inside an f-string, where line ends count for nothing.
std::vector<Token> tokenize(std::string_view source, std::uint32_t begin, std::uint32_t end,
                            bool nested, std::vector<CommentRange>* comments);

/// End of the string literal that begins at `at` (prefix letters included), or `end` + 1 when it
/// does not close.
std::uint32_t string_end(std::string_view source, std::uint32_t at, std::uint32_t end);

bool is_name_start(char c);
bool is_name_part(char c);

}  // namespace gpulint::python
