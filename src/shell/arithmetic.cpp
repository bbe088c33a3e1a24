#include "shell/interpreter.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace gpulint {
namespace {

constexpr int kMostArithmeticDepth = 60;

using Number = std::optional<std::int64_t>;

/// Levels of binary operators, the loosest first; longer spellings before shorter ones.
constexpr std::array<std::array<std::string_view, 4>, 10> kLevels = {{{"||", "", "", ""},
                                                                      {"&&", "", "", ""},
                                                                      {"|", "", "", ""},
                                                                      {"^", "", "", ""},
                                                                      {"&", "", "", ""},
                                                                      {"==", "!=", "", ""},
                                                                      {"<=", ">=", "<", ">"},
                                                                      {"<<", ">>", "", ""},
                                                                      {"+", "-", "", ""},
                                                                      {"*", "/", "%", ""}}};

Number combine(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? Number() : Number(result);
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? Number() : Number(result);
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? Number() : Number(result);
  if (op == "/" || op == "%") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return {};
    return op == "/" ? a / b : a % b;
  }
  if (op == "<<" || op == ">>") {
    if (b < 0 || b > 62 || a < 0) return {};
    return op == ">>" ? a >> b : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
  }
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  if (op == "&") return a & b;
  if (op == "|") return a | b;
  return a ^ b;
}

class ArithmeticReader {
 public:
  ArithmeticReader(std::string_view text, const std::function<Number(std::string_view)>& value_of)
      : text_(text), value_of_(value_of) {}

  Number whole() {
    const Number value = choice();
    skip();
    return at_ == text_.size() ? value : Number();
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }

  Number choice() {
    const Number condition = level(0);
    skip();
    if (text_.substr(at_, 1) != "?") return condition;
    ++at_;
    if (++depth_ > kMostArithmeticDepth) return {};
    const Number yes = choice();
    skip();
    if (text_.substr(at_, 1) != ":") return {};
    ++at_;
    const Number no = choice();
    --depth_;
    if (!condition) return {};
    return *condition != 0 ? yes : no;
  }

  Number level(std::size_t which) {
    if (which == kLevels.size()) return power();
    Number left = level(which + 1);
    while (true) {
      skip();
      const std::string_view op = operator_of(which);
      if (op.empty()) return left;
      at_ += op.size();
      const Number right = level(which + 1);
      left = left && right ? combine(op, *left, *right) : Number();
    }
  }

  std::string_view operator_of(std::size_t which) const {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view op : kLevels[which]) {
      if (op.empty() || !rest.starts_with(op)) continue;
      const char next = rest.size() > op.size() ? rest[op.size()] : '\0';
      // `||`, `**` and `<<` are operators of their own, not two of `|`, `*` or `<`.
      if (op.size() == 1 && (next == op[0] || next == '=') && op != "-" && op != "+") continue;
      return op;
    }
    return {};
  }

  Number power() {
    const Number base = unary();
    skip();
    if (text_.substr(at_, 2) != "**") return base;
    at_ += 2;
    const Number exponent = unary();
    if (!base || !exponent || *exponent < 0 || *exponent > 62) return {};
    Number result = 1;
    for (std::int64_t i = 0; i < *exponent && result; ++i) result = combine("*", *result, *base);
    return result;
  }

  Number unary() {
    skip();
    if (at_ >= text_.size() || ++depth_ > kMostArithmeticDepth) return {};
    const Number value = primary();
    --depth_;
    return value;
  }

  Number primary() {
    const char c = text_[at_];
    if (c == '-' || c == '+' || c == '!' || c == '~') {
      ++at_;
      const Number value = unary();
      if (!value) return {};
      if (c == '!') return *value == 0;
      if (c == '~') return ~*value;
      return c == '-' ? combine("-", 0, *value) : value;
    }
    if (c == '(') {
      ++at_;
      const Number value = choice();
      skip();
      if (text_.substr(at_, 1) != ")") return {};
      ++at_;
      return value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '#'))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) return {};
    if (c < '0' || c > '9') return value_of_(word);
    std::int64_t number = 0;
    const bool hex = word.starts_with("0x");
    const bool octal = !hex && word.size() > 1 && c == '0';
    const std::string_view digits = hex ? word.substr(2) : word;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                               hex ? 16 : (octal ? 8 : 10));
    if (error != std::errc() || stop != digits.data() + digits.size()) return {};
    return number;
  }

  std::string_view text_;
  const std::function<Number(std::string_view)>& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::int64_t> shell_arithmetic(
    std::string_view text,
    const std::function<std::optional<std::int64_t>(std::string_view)>& value_of) {
  return ArithmeticReader(text, value_of).whole();
}

std::optional<std::int64_t> ShellInterpreter::arithmetic(const ShellText& text, TextRange range) {
  const ShellText expanded = expand_whole(text, range);
  if (!expanded.known()) return std::nullopt;
  constexpr std::size_t kMostFormula = 4096;
  if (expanded.size() > kMostFormula) return std::nullopt;
  return shell_arithmetic(expanded.bytes, [this](std::string_view name) -> Number {
    const ShellVariable* variable = find(name);
    if (variable == nullptr || variable->items.empty()) return {};
    const ShellText& value = variable->items.front();
    if (value.empty()) return 0;
    if (!value.known()) return {};
    return shell_arithmetic(value.bytes, [](std::string_view) { return Number(); });
  });
}

/// `i++`, `i+=2`, `n=a*b` of `((…))`, `let` and the head of a counted loop.
void ShellInterpreter::change_numbers(const ShellText& text, TextRange range) {
  const std::string_view whole =
      trimmed(std::string_view(text.bytes).substr(range.begin, range.size()));
  std::size_t end = 0;
  while (end < whole.size() &&
         (std::isalnum(static_cast<unsigned char>(whole[end])) != 0 || whole[end] == '_'))
    ++end;
  const std::string name(whole.substr(0, end));
  const std::string_view rest = trimmed(whole.substr(end));
  const ShellVariable* variable = name.empty() ? nullptr : find(name);
  Number old;
  if (variable != nullptr && !variable->items.empty() && variable->items.front().known()) {
    old =
        shell_arithmetic(variable->items.front().bytes, [](std::string_view) { return Number(); });
  }
  Number value;
  if (rest == "++" || rest == "--") {
    if (old) value = *old + (rest == "++" ? 1 : -1);
  } else if (rest.size() > 1 && rest[1] == '=' && rest[0] != '=' && rest[0] != '<' &&
             rest[0] != '>' && rest[0] != '!') {
    const ShellText right = ShellText::of(rest.substr(2));
    const auto by = arithmetic(right, {0, static_cast<std::uint32_t>(right.size())});
    if (old && by) value = combine(rest.substr(0, 1), *old, *by);
  } else if (rest.starts_with('=') && !rest.starts_with("==")) {
    const ShellText right = ShellText::of(rest.substr(1));
    value = arithmetic(right, {0, static_cast<std::uint32_t>(right.size())});
  } else {
    return;
  }
  set(name, {{value ? ShellText::computed(std::to_string(*value)) : ShellText::unknown(kNowhere)},
             {},
             false,
             false});
}

}  // namespace gpulint
