// Operators on numbers, text and lists.

#include "base/text.h"
#include "python/interpreter.h"
#include "python/sets.h"
#include "python/texts.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::python {
namespace {

constexpr std::int64_t kMostShift = 62;  // bits that a signed number of 64 has for it

/// Python keeps whole numbers whole with these.
bool stays_whole(Operator op) {
  return op == Operator::add || op == Operator::subtract || op == Operator::multiply ||
         op == Operator::floor_divide || op == Operator::modulo;
}

bool is_bitwise(Operator op) {
  return op == Operator::bit_and || op == Operator::bit_or || op == Operator::bit_xor;
}

/// Rounded down, as Python divides; nullopt where C++ could not.
std::optional<std::int64_t> whole_quotient(Operator op, std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return std::nullopt;
  const std::int64_t remainder = a % b;
  const bool down = remainder != 0 && (remainder < 0) != (b < 0);
  return op == Operator::modulo ? remainder + (down ? b : 0) : a / b - (down ? 1 : 0);
}

/// nullopt: not an operator that keeps numbers whole, or a number out of range.
std::optional<std::int64_t> whole_result(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case Operator::add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Operator::subtract:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Operator::multiply:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Operator::floor_divide:
    case Operator::modulo:
      return whole_quotient(op, a, b);
    case Operator::shift_left:
      if (b < 0 || b > kMostShift) return std::nullopt;
      return __builtin_mul_overflow(a, std::int64_t{1} << b, &result) ? std::nullopt
                                                                      : std::optional(result);
    case Operator::shift_right:
      return b < 0 || b > kMostShift ? std::nullopt : std::optional(a >> b);
    case Operator::bit_and:
      return a & b;
    case Operator::bit_or:
      return a | b;
    case Operator::bit_xor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

/// NaN where there is no result.
double real_result(Operator op, double x, double y) {
  switch (op) {
    case Operator::add:
      return x + y;
    case Operator::subtract:
      return x - y;
    case Operator::multiply:
      return x * y;
    case Operator::divide:
      return y == 0 ? std::nan("") : x / y;
    case Operator::floor_divide:
      return y == 0 ? std::nan("") : std::floor(x / y);
    case Operator::modulo:
      return y == 0 ? std::nan("") : x - y * std::floor(x / y);
    case Operator::power:
      return std::pow(x, y);
    default:
      return std::nan("");
  }
}

bool is_listing(const Value& value) {
  return value.kind == Kind::list || value.kind == Kind::tuple;
}

}  // namespace

Value Interpreter::unary(SyntaxId id) {
  const Value of = eval(node(id).first);
  const auto op = static_cast<Operator>(node(id).op);
  if (op == Operator::negate) {
    if (const auto made = tensor_arithmetic(Operator::multiply, of, make_integer(-1))) return *made;
    if (is_tensor(of)) return resized("scale", of, {});
    if (has_lanes(of)) return binary(Operator::multiply, of, make_integer(-1), span(id));
  }
  if (op == Operator::logical_not) {
    const auto decided = truth(of);
    return decided ? made_from(make_bool(!*decided), of, of) : still_varying(op, of, of);
  }
  if (!of.is_number() || op == Operator::invert) return {};
  Value made = of;
  if (op == Operator::negate) {
    if (of.integer == std::numeric_limits<std::int64_t>::min()) return {};
    made.integer = -of.integer;
    made.real = -of.real;
    if (of.origin == Origin::code && !of.computed) made.from = span(id);
  }
  if (made.kind == Kind::boolean) made.kind = Kind::integer;
  return made;
}

Value Interpreter::arithmetic(Operator op, const Value& a, const Value& b) const {
  Value made;
  const bool whole = a.kind != Kind::real && b.kind != Kind::real;
  const std::optional<std::int64_t> exact =
      whole ? whole_result(op, a.integer, b.integer) : std::nullopt;
  if (exact) {
    const bool are_answers = a.kind == Kind::boolean && b.kind == Kind::boolean;
    made.kind = are_answers && is_bitwise(op) ? Kind::boolean : Kind::integer;
    made.integer = *exact;
    return made;
  }
  if (whole && stays_whole(op)) return {};  // too large, or divided by 0
  made.real = real_result(op, a.number(), b.number());
  if (!std::isfinite(made.real)) return {};
  made.kind = Kind::real;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (op == Operator::power && whole && b.integer >= 0 && std::abs(made.real) <= kExact) {
    made.kind = Kind::integer;
    made.integer = static_cast<std::int64_t>(made.real);
  }
  return made;
}

/// `"build_%s" % name`: values put in the places of %s, %d, %03d and %i.
Value Interpreter::formatted(const Value& pattern, const Value& given) {
  std::vector<Value> values = {given};
  if (given.kind == Kind::tuple) values = objects_[given.ref].items;
  const std::string form(text(pattern.ref));
  std::string made;
  std::size_t next = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      made += form[i];
      continue;
    }
    std::string width;
    while (++i < form.size() && form[i] >= '0' && form[i] <= '9' && width.size() < 2)
      width += form[i];
    const char kind = i < form.size() ? form[i] : '\0';
    if (kind == '%') {
      made += kind;
      continue;
    }
    const bool is_plain = kind == 's' || kind == 'd' || kind == 'i';
    if (!is_plain || next >= values.size() || made.size() > kLongestMade) return {};
    const Value& value = values[next++];
    const bool is_sized = !width.empty() && (kind == 's' || value.integer < 0);
    const std::optional<std::string> piece = shown(value);
    if (piece && kind == 's' && !is_sized) {
      made += *piece;
    } else if (value.kind == Kind::integer && !is_sized && !has_lanes(value)) {
      made += padded_digits(std::to_string(value.integer), width);
    } else {
      return {};
    }
  }
  return next == values.size() ? make_text(made) : Value{};
}

/// `(3,) * n`; negative numbers leave nothing.
Value Interpreter::repeated(const Value& listing, std::int64_t times, SourceSpan at) {
  const auto items = items_of(listing);
  if (!items || times > static_cast<std::int64_t>(limits_.max_items)) return {};
  Value made = make_object(listing.kind);
  made.from = at;
  for (std::int64_t i = 0; i < times; ++i) {
    for (const Value& item : *items) append(made.ref, item);
  }
  return made;
}

Value Interpreter::devices_of(Behaviour how) {
  Value made{.kind = Kind::devices};
  if (how == Behaviour::devices) made.ref = kOfMachine;
  if (how == Behaviour::ranks) made.integer = kRanks;
  if (how == Behaviour::stepping_ranks) made.integer = kSteppingRanks;
  return made;
}

/// `lr * batch * get_world_size() / 256`: a number for each rank, times the ranks.
std::optional<Value> Interpreter::times_ranks(Operator op, const Value& a, const Value& b) {
  const auto for_each_rank = [](const Value& value) -> std::optional<double> {
    if (value.kind == Kind::scaled) return value.real;
    return value.kind == Kind::devices && value.integer != 0 ? std::optional(1.0) : std::nullopt;
  };
  const auto of_a = for_each_rank(a);
  const auto of_b = for_each_rank(b);
  const auto scaled = [](const Value& ranks, double each) {
    return Value{.kind = Kind::scaled, .integer = ranks.integer, .real = each};
  };
  if (op == Operator::multiply) {
    if (of_a && b.is_number()) return scaled(a, *of_a * b.number());
    if (of_b && a.is_number()) return scaled(b, *of_b * a.number());
  } else if (op == Operator::divide && of_a) {
    if (b.is_number() && b.number() != 0) return scaled(a, *of_a / b.number());
    if (of_b && *of_b != 0) return Value{.kind = Kind::real, .real = *of_a / *of_b};
  }
  return std::nullopt;
}

Value Interpreter::binary(Operator op, const Value& a, const Value& b, SourceSpan at) {
  Value made;
  if (auto elements = by_elements(op, a, b, at)) return *elements;
  if (host_.follows()) {
    if (const auto followed = tensor_arithmetic(op, a, b)) return *followed;
  }
  if (is_tensor(a) && b.is_number()) return resized("scale", a, {});
  if (is_tensor(b) && a.is_number()) return resized("scale", b, {});
  if (is_tensor(a) && is_tensor(b)) {
    const Arguments with = {{{intern("with_"), b, kNoSyntax}}, false};
    return resized(op == Operator::matrix ? "matmul" : "add", a, with);
  }
  const bool divides = op == Operator::divide || op == Operator::floor_divide;
  const double for_each = b.kind == Kind::devices ? 1 : b.kind == Kind::scaled ? b.real : 0;
  if (for_each != 0 && a.is_number() && divides) {
    made = a;
    made.kind = Kind::share;
    made.real = a.number() / for_each;
    made.computed = made.computed || for_each != 1;
    return made;
  }
  if (const auto scaled = times_ranks(op, a, b)) {
    made = *scaled;
  } else if (op == Operator::multiply && (a.kind == Kind::devices || b.kind == Kind::devices)) {
    return Value{.kind = Kind::devices};  // of all machines
  } else if (a.is_number() && b.is_number()) {
    made = each_lane(arithmetic(op, a, b), {a, b},
                     [&](std::span<const Value> each) { return arithmetic(op, each[0], each[1]); });
  } else if (a.kind == Kind::text && b.kind == Kind::text &&
             (op == Operator::add || op == Operator::divide)) {
    const std::string_view x = text(a.ref);
    const std::string_view y = text(b.ref);
    if (x.size() + y.size() > kLongestMade) return {};
    made = make_text(op == Operator::add ? std::string(x) + std::string(y)
                                         : normalize_path(join_path(x, y)));
  } else if (a.kind == Kind::text && op == Operator::modulo && text(a.ref).size() <= kLongestMade) {
    made = formatted(a, b);
  } else if (op == Operator::add && a.kind == b.kind &&
             (a.kind == Kind::list || a.kind == Kind::tuple)) {
    made = make_object(a.kind);
    Object& list = objects_[made.ref];
    list.items = objects_[a.ref].items;
    const Object& more = objects_[b.ref];
    // Sizes behind those that nobody knows have no place of their own.
    const bool has_rest = following_ > 0 && objects_[a.ref].open;
    if (!has_rest) list.items.insert(list.items.end(), more.items.begin(), more.items.end());
    list.open = objects_[a.ref].open || more.open;
    made.from = at;
    return made;
  } else if (op == Operator::multiply && is_listing(a) && b.kind == Kind::integer) {
    return repeated(a, b.integer, at);
  } else if (op == Operator::multiply && a.kind == Kind::integer && is_listing(b)) {
    return repeated(b, a.integer, at);
  } else if (a.kind == Kind::set && b.kind == Kind::set) {
    const std::string_view method = op == Operator::bit_or     ? "union"
                                    : op == Operator::bit_and  ? "intersection"
                                    : op == Operator::bit_xor  ? "symmetric_difference"
                                    : op == Operator::subtract ? "difference"
                                                               : "";
    return set_method(*this, a, method, {{kNone, b, kNoSyntax}}).value_or(Value{});
  } else if (op == Operator::bit_or && a.kind == Kind::dict && b.kind == Kind::dict) {
    return merge_into(a, b, 100);
  }
  if (!made.known()) return still_varying(op, a, b);
  made = made_from(made, a, b);
  if (made.origin != Origin::given) made.from = at;
  return made;
}

}  // namespace gpulint::python
