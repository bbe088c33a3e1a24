#include "python/lexer.h"

#include <algorithm>
#include <array>

namespace gpulint::python {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_prefix_letter(char c) {
  switch (c | 0x20) {
    case 'r':
    case 'b':
    case 'u':
    case 'f':
    case 't':
      return true;
    default:
      return false;
  }
}

/// Length of the prefix of a string literal at `at`, or npos when none begins there.
std::size_t prefix_length(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestPrefix = 2;
  std::size_t length = 0;
  while (length <= kLongestPrefix && at + length < text.size()) {
    const char c = text[at + length];
    if (c == '"' || c == '\'') return length;
    if (!is_prefix_letter(c)) break;
    ++length;
  }
  return std::string_view::npos;
}

/// Words that begin a statement at the left margin and never stand in an expression there.
bool begins_statement(std::string_view line) {
  constexpr std::array<std::string_view, 8> kWords = {"def ",    "class ", "import ", "from ",
                                                      "return ", "while ", "with ",   "try:"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return line.starts_with(word); });
}

std::uint32_t symbol_size(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 5> kThree = {"**=", "//=", ">>=", "<<=", "..."};
  static constexpr std::array<std::string_view, 20> kTwo = {
      "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
      "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "<>"};
  const std::string_view rest = text.substr(at, 3);
  if (rest.size() < 2 || std::string_view("*/<>=!+-%&|^@:.").find(rest[0]) == rest.npos) return 1;
  for (const std::string_view each : kThree) {
    if (rest == each) return 3;
  }
  for (const std::string_view each : kTwo) {
    if (rest.substr(0, 2) == each) return 2;
  }
  return 1;
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::uint32_t begin, bool nested,
            std::vector<CommentRange>* comments)
      : text_(text), at_(begin), nested_(nested), comments_(comments) {
    tokens_.reserve((text.size() - begin) / 4 + 8);
  }

  std::vector<Token> run() {
    if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    bool line_start = !nested_;
    while (at_ < text_.size()) {
      if (line_start) {
        if (!begin_line()) continue;
        line_start = false;
        continue;
      }
      const char c = text_[at_];
      if (c == '\n' || c == '\r') {
        ++at_;
        if (depth_ == 0 && !nested_) {
          add(TokenKind::newline, at_ - 1, at_);
          line_start = true;
        } else if (!nested_) {
          close_runaway_bracket(line_start);
        }
        continue;
      }
      next_token(c);
    }
    finish();
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::uint32_t begin, std::uint32_t end) {
    tokens_.push_back({kind, begin, end});
  }

  void skip_comment() {
    const std::uint32_t begin = at_;
    const auto* stop = text_.data() + text_.size();
    const auto* found =
        std::find_if(text_.data() + at_, stop, [](char c) { return c == '\n' || c == '\r'; });
    at_ = static_cast<std::uint32_t>(found - text_.data());
    if (comments_ != nullptr) comments_->push_back({begin, at_});
  }

  /// Measures the indentation; false for a line without code, which is consumed.
  bool begin_line() {
    constexpr std::uint32_t kTab = 8;
    std::uint32_t column = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ') {
        ++column;
      } else if (c == '\t') {
        column = (column / kTab + 1) * kTab;
      } else if (c == '\f') {
        column = 0;
      } else {
        break;
      }
      ++at_;
    }
    if (at_ >= text_.size()) return true;
    if (text_[at_] == '#') skip_comment();
    if (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
      return false;
    }
    if (column > indents_.back()) {
      indents_.push_back(column);
      add(TokenKind::indent, at_, at_);
    }
    while (column < indents_.back()) {
      indents_.pop_back();
      add(TokenKind::dedent, at_, at_);
      // To no level: the nearest one; the margin stays where it is.
      if (column > indents_.back() && indents_.size() > 1) indents_.back() = column;
      if (indents_.size() == 1) break;
    }
    return true;
  }

  void close_runaway_bracket(bool& line_start) {
    if (!begins_statement(text_.substr(at_, 8))) return;
    depth_ = 0;
    add(TokenKind::invalid, at_, at_);
    add(TokenKind::newline, at_, at_);
    line_start = true;
  }

  void next_token(char c) {
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (c == '\\') {
      skip_continuation();
    } else if (c == '"' || c == '\'' ||
               (is_prefix_letter(c) && prefix_length(text_, at_) != std::string_view::npos)) {
      string();
    } else if (is_name_start(c)) {
      const std::uint32_t begin = at_++;
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      add(TokenKind::name, begin, at_);
    } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      number();
    } else {
      symbol(c);
    }
  }

  void skip_continuation() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
    } else {
      add(TokenKind::invalid, at_ - 1, at_);
    }
  }

  void string() {
    const std::uint32_t begin = at_;
    const auto limit = static_cast<std::uint32_t>(text_.size());
    const std::uint32_t end = string_end(text_, at_, limit);
    if (end > limit) {  // never closes: the line is lost
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      add(TokenKind::invalid, begin, at_);
      return;
    }
    at_ = end;
    add(TokenKind::string, begin, end);
  }

  void number() {
    const std::uint32_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_sign = c == '+' || c == '-';
      const bool behind_exponent = at_ > begin && (text_[at_ - 1] | 0x20) == 'e' &&
                                   text_.substr(begin, 2) != "0x" && text_.substr(begin, 2) != "0X";
      if (!is_name_part(c) && c != '.' && !(is_sign && behind_exponent)) break;
      ++at_;
    }
    add(TokenKind::number, begin, at_);
  }

  void symbol(char c) {
    const std::uint32_t size = symbol_size(text_, at_);
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    add(TokenKind::symbol, at_, at_ + size);
    at_ += size;
  }

  void finish() {
    const auto end = static_cast<std::uint32_t>(text_.size());
    if (!nested_) {
      add(TokenKind::newline, end, end);
      for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::dedent, end, end);
    }
    add(TokenKind::end, end, end);
  }

  std::string_view text_;
  std::uint32_t at_;
  bool nested_;
  std::vector<CommentRange>* comments_;
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> indents_ = {0};
  int depth_ = 0;
};

/// End of the string whose quotes begin at `quote`; inside the braces of an f-string a quote begins
/// another string (Python 3.12).
std::uint32_t end_of_quotes(std::string_view source, std::uint32_t quote, std::uint32_t end,
                            bool braces, int level) {
  const char mark = source[quote];
  const bool triple = quote + 2 < end && source[quote + 1] == mark && source[quote + 2] == mark;
  std::uint32_t at = quote + (triple ? 3 : 1);
  int depth = 0;
  while (at < end) {
    const char c = source[at];
    if (c == '\\') {
      at += 2;
      continue;
    }
    if (c == '\n' && !triple) return end + 1;
    const bool closes =
        c == mark &&
        (!triple || (at + 2 < end && source[at + 1] == mark && source[at + 2] == mark));
    if (closes && depth == 0) return at + (triple ? 3 : 1);
    if (braces && (c == '{' || c == '}')) {
      const bool doubled = at + 1 < end && source[at + 1] == c;
      if (doubled && depth == 0) {
        at += 2;
        continue;
      }
      depth += c == '{' ? 1 : (depth > 0 ? -1 : 0);
    } else if (depth > 0 && (c == '"' || c == '\'') && level < 4) {
      const std::uint32_t inner = end_of_quotes(source, at, end, false, level + 1);
      if (inner > end) return end + 1;
      at = inner;
      continue;
    }
    ++at;
  }
  return end + 1;
}

}  // namespace

std::uint32_t string_end(std::string_view source, std::uint32_t at, std::uint32_t end) {
  bool formatted = false;
  while (at < end && source[at] != '"' && source[at] != '\'') {
    formatted = formatted || (source[at] | 0x20) == 'f' || (source[at] | 0x20) == 't';
    ++at;
  }
  if (at >= end) return end + 1;
  if (formatted) {
    const std::uint32_t nested = end_of_quotes(source, at, end, true, 0);
    if (nested <= end) return nested;
  }
  return end_of_quotes(source, at, end, false, 0);
}

std::vector<Token> tokenize(std::string_view source, std::uint32_t begin, std::uint32_t end,
                            bool nested, std::vector<CommentRange>* comments) {
  return Tokenizer(source.substr(0, end), begin, nested, comments).run();
}

}  // namespace gpulint::python
