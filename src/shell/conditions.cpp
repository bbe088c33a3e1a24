#include "shell/interpreter.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

using Words = std::vector<ShellText>;

std::optional<std::int64_t> integer_of(const ShellText& text) {
  std::int64_t number = 0;
  const char* begin = text.bytes.data();
  const char* end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

/// A word that the script does not set is taken to be empty.
ShellVerdict emptiness(const ShellText& text) {
  if (text.is_unset()) return {ShellVerdict::Says::yes, true};
  if (text.known()) return ShellVerdict::of(text.empty());
  const bool has_known_part = text.bytes.find_first_not_of("\x01\x02") != std::string::npos;
  return has_known_part ? ShellVerdict::of(false) : ShellVerdict{};
}

ShellVerdict compare_numbers(const ShellText& a, std::string_view op, const ShellText& b) {
  if (a.is_argument_count() || b.is_argument_count()) {
    const ShellText none = ShellText::computed("0");
    ShellVerdict presumed =
        compare_numbers(a.is_argument_count() ? none : a, op, b.is_argument_count() ? none : b);
    presumed.presumed = true;
    return presumed;
  }
  const auto left = integer_of(a);
  const auto right = integer_of(b);
  if (!left || !right) return {};
  if (op == "-eq") return ShellVerdict::of(*left == *right);
  if (op == "-ne") return ShellVerdict::of(*left != *right);
  if (op == "-lt") return ShellVerdict::of(*left < *right);
  if (op == "-le") return ShellVerdict::of(*left <= *right);
  if (op == "-gt") return ShellVerdict::of(*left > *right);
  return ShellVerdict::of(*left >= *right);
}

bool is_number_operator(std::string_view word) {
  return word == "-eq" || word == "-ne" || word == "-lt" || word == "-le" || word == "-gt" ||
         word == "-ge";
}

/// The shared grammar of `[ … ]` and `[[ … ]]` over expanded words.
class TestReader {
 public:
  TestReader(const Words& words, bool matches_patterns)
      : words_(words), matches_patterns_(matches_patterns) {}

  ShellVerdict whole() {
    if (words_.empty()) return ShellVerdict::of(false);
    const ShellVerdict verdict = either();
    return at_ == words_.size() ? verdict : ShellVerdict{};
  }

 private:
  std::string_view word(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? std::string_view(words_[at_ + ahead].bytes)
                                       : std::string_view();
  }
  bool takes(std::string_view a, std::string_view b) {
    if (at_ >= words_.size() || (word() != a && word() != b)) return false;
    ++at_;
    return true;
  }

  ShellVerdict either() {
    ShellVerdict left = both();
    while (takes("||", "-o")) {
      const ShellVerdict right = both();
      if (left.is_yes()) continue;
      left = right.is_yes() || left.is_no() ? right : ShellVerdict{};
    }
    return left;
  }

  ShellVerdict both() {
    ShellVerdict left = one();
    while (takes("&&", "-a")) {
      const ShellVerdict right = one();
      if (left.is_no()) continue;
      left = right.is_no() || left.is_yes() ? right : ShellVerdict{};
    }
    return left;
  }

  ShellVerdict one() {
    constexpr int kMostTestDepth = 40;
    if (at_ >= words_.size() || ++depth_ > kMostTestDepth) return {};
    ShellVerdict verdict;
    if (word() == "!" && at_ + 1 < words_.size()) {
      ++at_;
      verdict = one().negated();
    } else if (word() == "(") {
      ++at_;
      verdict = either();
      takes(")", ")");
    } else {
      verdict = primary();
    }
    --depth_;
    return verdict;
  }

  ShellVerdict primary() {
    const std::string_view op = word(1);
    if (at_ + 2 < words_.size()) {
      const ShellText& a = words_[at_];
      const ShellText& b = words_[at_ + 2];
      if (is_number_operator(op)) {
        at_ += 3;
        return compare_numbers(a, op, b);
      }
      if (op == "=" || op == "==" || op == "!=") {
        at_ += 3;
        const ShellVerdict equal = same(a, b);
        return op == "!=" ? equal.negated() : equal;
      }
      if (op == "=~" || op == "<" || op == ">") {
        at_ += 3;
        return {};
      }
    }
    if (word().size() == 2 && word().starts_with('-') && at_ + 1 < words_.size()) {
      const char kind = word()[1];
      const ShellText& operand = words_[at_ + 1];
      at_ += 2;
      if (kind == 'z') return emptiness(operand);
      if (kind == 'n') return emptiness(operand).negated();
      return {};  // files and terminals
    }
    return emptiness(words_[at_++]).negated();
  }

  ShellVerdict same(const ShellText& a, const ShellText& b) const {
    if (a.is_unset() || b.is_unset()) {
      const ShellText& other = a.is_unset() ? b : a;
      if (other.known())
        return {other.empty() ? ShellVerdict::Says::yes : ShellVerdict::Says::no, true};
      return {};
    }
    if (a.is_argument_count() || b.is_argument_count()) return compare_numbers(a, "-eq", b);
    if (!a.known() || !b.known()) return {};
    return ShellVerdict::of(matches_patterns_ ? matches_shell_pattern(b.bytes, a.bytes)
                                              : a.bytes == b.bytes);
  }

  const Words& words_;
  bool matches_patterns_ = false;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ShellVerdict ShellInterpreter::test(const std::vector<ShellText>& words) {
  return TestReader(words, false).whole();
}

/// Inside `[[ ]]` words are not split, and operators need no quotes.
ShellVerdict ShellInterpreter::test_bracketed(const Source& source, TextRange condition) {
  Words words;
  std::uint32_t at = condition.begin;
  const std::string& bytes = source.text.bytes;
  while (at < condition.end) {
    const char c = bytes[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\') {
      ++at;
      continue;
    }
    const std::string_view rest = std::string_view(bytes).substr(at, condition.end - at);
    if (rest.starts_with("&&") || rest.starts_with("||")) {
      words.push_back(ShellText::computed(rest.substr(0, 2)));
      at += 2;
      continue;
    }
    if (c == '(' || c == ')') {
      words.push_back(ShellText::computed(rest.substr(0, 1)));
      ++at;
      continue;
    }
    const std::uint32_t begin = at;
    while (at < condition.end) {
      const char d = bytes[at];
      if (d == ' ' || d == '\t' || d == '\n' || d == '\r' || d == ')') break;
      if (bytes.compare(at, 2, "&&") == 0 || bytes.compare(at, 2, "||") == 0) break;
      if (d == '"') {
        at = skip_double_quoted(bytes, at, condition.end);
      } else if (d == '\'') {
        at = skip_single_quoted(bytes, at, condition.end);
      } else if (d == '$') {
        at = skip_dollar(bytes, at, condition.end);
      } else {
        at += d == '\\' ? 2 : 1;
      }
    }
    at = std::min(at, condition.end);
    words.push_back(expand_whole(source.text, {begin, at}));
  }
  return TestReader(words, true).whole();
}

}  // namespace gpulint
