#include "expr/builtins.h"

#include "expr/arithmetic.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace gpulint::expr {
namespace {

constexpr int kAnyNumber = 64;  // arguments of min and max

// In the order of Builtin.
constexpr std::array<BuiltinName, 12> kBuiltins{{
    {"abs", Builtin::abs, 1, 1},
    {"ceil", Builtin::ceil, 1, 1},
    {"contains", Builtin::contains, 2, 2},
    {"floor", Builtin::floor, 1, 1},
    {"known", Builtin::known, 1, 1},
    {"len", Builtin::len, 1, 1},
    {"max", Builtin::max, 1, kAnyNumber},
    {"min", Builtin::min, 1, kAnyNumber},
    {"round", Builtin::round, 1, 1},
    {"round_up", Builtin::round_up, 2, 2},
    {"starts_with", Builtin::starts_with, 2, 2},
    {"sum", Builtin::sum, 1, 1},
}};

constexpr std::array<std::pair<std::string_view, About>, 3> kQuestions{{
    {"explained", About::explained},
    {"stated", About::stated},
    {"taken", About::taken},
}};

/// Integer where int64 holds it, unknown elsewhere.
Value whole(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value >= -kLimit && value < kLimit)) return {};
  return static_cast<std::int64_t>(value);
}

Value rounded(Builtin id, const Value& value) {
  const double* number = std::get_if<double>(&value.data);
  if (number == nullptr) return value;
  if (id == Builtin::ceil) return whole(std::ceil(*number));
  return whole(id == Builtin::floor ? std::floor(*number) : std::round(*number));
}

/// Smallest multiple of `step` that is at least `value`.
Value rounded_up(const Value& value, const Value& step) {
  if (step.number() <= 0) return {};
  const Value down = arithmetic(Opcode::modulo, value, step);
  if (!down.known() || down.number() == 0) return down.known() ? value : Value{};
  return arithmetic(Opcode::add, value, arithmetic(Opcode::subtract, step, down));
}

Value extreme(Builtin id, std::span<const Value> values) {
  const Value* best = nullptr;
  for (const Value& value : values) {
    if (!finite(value).known()) return {};
    const bool better = best == nullptr || (id == Builtin::max ? compare_numbers(value, *best) > 0
                                                               : compare_numbers(value, *best) < 0);
    if (better) best = &value;
  }
  return best == nullptr ? Value{} : *best;
}

Value total(const List& list) {
  Value sum{std::int64_t{0}};
  for (const Value& value : list) {
    if (!value.known()) return {};
    sum = arithmetic(Opcode::add, sum, value);
    if (!sum.known()) return {};
  }
  return sum;
}

Value length(const Value& value) {
  if (const List* list = std::get_if<List>(&value.data)) {
    return static_cast<std::int64_t>(list->size());
  }
  const std::string* text = std::get_if<std::string>(&value.data);
  return text == nullptr ? Value{} : Value{static_cast<std::int64_t>(text->size())};
}

Value search(Builtin id, const Value& text, const Value& part) {
  const std::string* whole_text = std::get_if<std::string>(&text.data);
  const std::string* searched = std::get_if<std::string>(&part.data);
  if (whole_text == nullptr || searched == nullptr) return {};
  if (id == Builtin::starts_with) return whole_text->starts_with(*searched);
  return whole_text->find(*searched) != std::string::npos;
}

}  // namespace

std::optional<About> find_question(std::string_view name) {
  for (const auto& [known, question] : kQuestions) {
    if (known == name) return question;
  }
  return std::nullopt;
}

std::optional<BuiltinName> find_builtin(std::string_view name) {
  for (const BuiltinName& builtin : kBuiltins) {
    if (builtin.name == name) return builtin;
  }
  return std::nullopt;
}

const BuiltinName& builtin_name(Builtin id) { return kBuiltins[static_cast<std::size_t>(id)]; }

void append_builtin_names(std::vector<std::string_view>& names) {
  for (const BuiltinName& builtin : kBuiltins) names.push_back(builtin.name);
  for (const auto& [name, question] : kQuestions) names.push_back(name);
}

Value call_builtin(Builtin id, std::span<const Value> arguments) {
  const Value& first = arguments.front();
  if (id == Builtin::known) return first.is_unreadable() ? Value{} : Value(finite(first).known());
  for (const Value& argument : arguments) {
    if (!argument.known()) return {};
  }
  const List* list = std::get_if<List>(&first.data);
  switch (id) {
    case Builtin::abs:
      return first.number() < 0 ? negated(first) : first;
    case Builtin::ceil:
    case Builtin::floor:
    case Builtin::round:
      return rounded(id, first);
    case Builtin::round_up:
      return rounded_up(first, arguments[1]);
    case Builtin::len:
      return length(first);
    case Builtin::max:
    case Builtin::min:
      return extreme(id, list == nullptr ? arguments : *list);
    case Builtin::sum:
      return list == nullptr ? Value{} : total(*list);
    case Builtin::contains:
    case Builtin::starts_with:
      return search(id, first, arguments[1]);
    case Builtin::known:
      break;
  }
  return {};
}

}  // namespace gpulint::expr
