#include "base/text.h"
#include "python/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace gpulint::python {

Value Interpreter::make_bool(bool value) const {
  Value made;
  made.kind = Kind::boolean;
  made.integer = value ? 1 : 0;
  made.origin = Origin::code;
  return made;
}

Value Interpreter::make_integer(std::int64_t value) const {
  Value made;
  made.kind = Kind::integer;
  made.integer = value;
  made.origin = Origin::code;
  return made;
}

/// `value` was worked out from the two: it points at the one that was given, else at either.
Value Interpreter::made_from(Value value, const Value& a, const Value& b) const {
  const bool second = b.origin == Origin::given && a.origin != Origin::given;
  const Value& from = second || a.origin == Origin::nobody ? b : a;
  value.origin = from.origin;
  value.from = from.from;
  value.computed = true;
  return value;
}

Value Interpreter::eval(SyntaxId id) {
  if (id == kNoSyntax || !step() || nesting_ > limits_.max_nesting) return {};
  ++nesting_;
  Value value = eval_kind(id);
  --nesting_;
  return value;
}

// One switch over all expressions.
Value Interpreter::eval_kind(SyntaxId id) {
  const SyntaxNode at = node(id);
  switch (at.kind) {
    case Syntax::name:
      return lookup(intern(tree().text(id)));
    case Syntax::number:
      return number(id);
    case Syntax::string:
      return make_text(tree().text(id), span(id));
    case Syntax::formatted:
      return formatted(id);
    case Syntax::constant: {
      const std::string_view word = tree().text(id);
      Value made = word == "None" ? Value{.kind = Kind::none, .origin = Origin::code}
                                  : make_bool(word == "True");
      if (word == "...") return {};
      made.from = span(id);
      return made;
    }
    case Syntax::tuple:
      return sequence(id, Kind::tuple);
    case Syntax::list:
      return sequence(id, Kind::list);
    case Syntax::set:
      return sequence(id, Kind::set);
    case Syntax::dict:
      return dict(id);
    case Syntax::call:
      return call_node(id);
    case Syntax::attribute:
      return attribute(eval(at.first), intern(tree().text(id)), at.first);
    case Syntax::subscript: {
      const Value of = eval(at.first);
      const SyntaxId index = node(at.first).next;
      return node(index).kind == Syntax::slice ? sliced(of, index) : subscript(of, eval(index));
    }
    case Syntax::unary:
      return unary(id);
    case Syntax::binary: {
      const Value left = eval(at.first);
      const Value right = eval(node(at.first).next);
      return binary(static_cast<Operator>(at.op), left, right, span(id));
    }
    case Syntax::compare:
      return compare(id);
    case Syntax::boolean:
      return boolean(id);
    case Syntax::conditional:
      return conditional(id);
    case Syntax::lambda: {
      Value made;
      made.kind = Kind::function;
      made.ref = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back({frames_.back().module, id, frames_.back().scope});
      return made;
    }
    case Syntax::comprehension:
      return comprehension(id);
    case Syntax::assign_expression: {
      const Value value = eval(node(at.first).next);
      assign(at.first, value);
      return value;
    }
    case Syntax::await:
    case Syntax::star:
      return eval(at.first);
    case Syntax::yield:
      eval(at.first);
      return {};
    default:
      return {};
  }
}

Value Interpreter::number(SyntaxId id) const {
  std::string digits;
  for (const char c : tree().text(id)) {
    if (c != '_') digits += c;
  }
  Value made;
  made.origin = Origin::code;
  made.from = span(id);
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  const char* begin = digits.data() + (is_hex ? 2 : 0);
  const char* end = digits.data() + digits.size();
  const auto whole = std::from_chars(begin, end, made.integer, is_hex ? 16 : 10);
  if (whole.ec == std::errc{} && whole.ptr == end) {
    made.kind = Kind::integer;
    return made;
  }
  const auto real = std::from_chars(digits.data(), end, made.real);
  if (real.ec == std::errc{} && real.ptr == end) made.kind = Kind::real;
  return made;
}

Value Interpreter::formatted(SyntaxId id) {
  std::string whole;
  Value from;
  bool known = true;
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    const Value part = node(at).kind == Syntax::error ? Value{} : eval(at);
    if (part.kind == Kind::text) {
      whole += text(part.ref);
    } else if (part.kind == Kind::integer) {
      whole += std::to_string(part.integer);
    } else {
      known = false;
    }
    if (part.origin == Origin::given) from = part;
  }
  if (!known) return {};
  Value made = make_text(whole, span(id));
  return from.origin == Origin::given ? made_from(made, from, from) : made;
}

Value Interpreter::sequence(SyntaxId id, Kind kind) {
  Value made = make_object(kind);
  made.from = span(id);
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    const Value item = eval(at);
    if (node(at).kind != Syntax::star) {
      append(made.ref, item);
      continue;
    }
    const auto items = items_of(item);
    if (!items) objects_[made.ref].open = true;
    if (items) {
      for (const Value& each : *items) append(made.ref, each);
    }
  }
  return made;
}

Value Interpreter::dict(SyntaxId id) {
  Value made = make_object(Kind::dict);
  made.from = span(id);
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    if (node(at).kind == Syntax::double_star) {
      const Value more = eval(node(at).first);
      if (more.kind != Kind::dict || objects_[more.ref].open) objects_[made.ref].open = true;
      if (more.kind != Kind::dict) continue;
      const std::vector<Entry> entries = objects_[more.ref].entries;
      for (const Entry& entry : entries) set(made.ref, entry.key, entry.value, entry.key_span);
      continue;
    }
    const SyntaxId value = node(at).next;
    if (value == kNoSyntax) break;
    const TextId key = key_of(eval(at));
    targets_.push_back(source(at));
    const Value worth = eval(value);
    targets_.pop_back();
    if (key == kNone) {
      objects_[made.ref].open = true;
    } else {
      set(made.ref, key, worth, span(at));
    }
    at = value;
  }
  return made;
}

std::optional<bool> Interpreter::truth(const Value& value) const {
  switch (value.kind) {
    case Kind::unknown:
      return std::nullopt;
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return value.integer != 0;
    case Kind::real:
      return value.real != 0;
    case Kind::text:
      return !text(value.ref).empty();
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
      if (!objects_[value.ref].items.empty()) return true;
      return objects_[value.ref].open ? std::nullopt : std::optional<bool>(false);
    case Kind::dict:
      if (!objects_[value.ref].entries.empty()) return true;
      return objects_[value.ref].open ? std::nullopt : std::optional<bool>(false);
    case Kind::function:
    case Kind::method:
    case Kind::type:
    case Kind::module:
      return true;
    case Kind::instance:
      return objects_[value.ref].made_by == kNone && objects_[value.ref].type == kNone
                 ? std::nullopt
                 : std::optional<bool>(true);
    case Kind::external:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> Interpreter::equal(const Value& a, const Value& b) const {
  if (!a.known() || !b.known()) return std::nullopt;
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.kind == Kind::text && b.kind == Kind::text) return a.ref == b.ref;
  if (a.kind == Kind::external && b.kind == Kind::external && a.ref == b.ref) return true;
  const bool plain_a = a.kind == Kind::none || a.kind == Kind::text || a.is_number();
  const bool plain_b = b.kind == Kind::none || b.kind == Kind::text || b.is_number();
  if (plain_a && plain_b) return a.kind == Kind::none && b.kind == Kind::none;
  if ((plain_a && b.has_object() && b.kind != Kind::instance) ||
      (plain_b && a.has_object() && a.kind != Kind::instance)) {
    return false;
  }
  if (a.kind == b.kind && a.ref == b.ref && a.kind != Kind::external) return true;
  return std::nullopt;
}

std::optional<bool> Interpreter::contains(const Value& container, const Value& item) const {
  if (container.kind == Kind::text && item.kind == Kind::text) {
    return text(container.ref).find(text(item.ref)) != std::string_view::npos;
  }
  const bool by_name = container.kind == Kind::dict || container.kind == Kind::instance;
  if (by_name && item.kind == Kind::text) {
    if (find(container.ref, item.ref) != nullptr) return true;
    const Object& object = objects_[container.ref];
    if (container.kind == Kind::instance && object.type == kNone) return std::nullopt;
    return object.open ? std::nullopt : std::optional<bool>(false);
  }
  const bool has_items =
      container.kind == Kind::list || container.kind == Kind::tuple || container.kind == Kind::set;
  if (!has_items) return std::nullopt;
  std::optional<bool> found = objects_[container.ref].open ? std::nullopt : std::optional(false);
  for (const Value& each : objects_[container.ref].items) {
    const auto same = equal(each, item);
    if (same && *same) return true;
    if (!same) found = std::nullopt;
  }
  return found;
}

Value Interpreter::compare(SyntaxId id) {
  const Value a = eval(node(id).first);
  const Value b = eval(node(node(id).first).next);
  std::optional<bool> result;
  const auto op = static_cast<Operator>(node(id).op);
  const bool numbers = a.is_number() && b.is_number();
  switch (op) {
    case Operator::equal:
    case Operator::is:
      result = equal(a, b);
      break;
    case Operator::not_equal:
    case Operator::is_not:
      result = equal(a, b);
      if (result) result = !*result;
      break;
    case Operator::in:
      result = contains(b, a);
      break;
    case Operator::not_in:
      result = contains(b, a);
      if (result) result = !*result;
      break;
    case Operator::less:
      if (numbers) result = a.number() < b.number();
      break;
    case Operator::less_equal:
      if (numbers) result = a.number() <= b.number();
      break;
    case Operator::greater:
      if (numbers) result = a.number() > b.number();
      break;
    case Operator::greater_equal:
      if (numbers) result = a.number() >= b.number();
      break;
    default:
      break;
  }
  // None is told from an object that something outside made.
  const bool is_test = op == Operator::is || op == Operator::is_not;
  const auto made = [](const Value& value) {
    return value.kind == Kind::instance || value.kind == Kind::function ||
           value.kind == Kind::method || value.kind == Kind::type || value.has_object();
  };
  if (!result && is_test &&
      ((a.kind == Kind::none && made(b)) || (b.kind == Kind::none && made(a))))
    result = op == Operator::is_not;
  if (!result) return {};
  return made_from(make_bool(*result), a, b);
}

Value Interpreter::boolean(SyntaxId id) {
  const bool is_or = node(id).op == static_cast<std::uint8_t>(Operator::logical_or);
  Value last;
  bool unknown = false;
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    last = eval(at);
    const auto decided = truth(last);
    if (decided && *decided == is_or) {
      // `unknown or True` is true, whatever the first is; `unknown or 8` is not 8.
      return unknown && last.kind != Kind::boolean ? Value{} : last;
    }
    unknown = unknown || !decided;
  }
  return unknown ? Value{} : last;
}

Value Interpreter::conditional(SyntaxId id) {
  const SyntaxId then = node(id).first;
  const SyntaxId condition = node(then).next;
  const auto decided = truth(eval(condition));
  if (decided) return eval(*decided ? then : node(condition).next);
  ++undecided_;
  const Value a = eval(then);
  const Value b = eval(node(condition).next);
  --undecided_;
  return joined(a, b);
}

Value Interpreter::unary(SyntaxId id) {
  const Value of = eval(node(id).first);
  const auto op = static_cast<Operator>(node(id).op);
  if (op == Operator::logical_not) {
    const auto decided = truth(of);
    return decided ? made_from(make_bool(!*decided), of, of) : Value{};
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
  if (whole && (op == Operator::add || op == Operator::subtract || op == Operator::multiply)) {
    const bool overflows =
        op == Operator::add        ? __builtin_add_overflow(a.integer, b.integer, &made.integer)
        : op == Operator::subtract ? __builtin_sub_overflow(a.integer, b.integer, &made.integer)
                                   : __builtin_mul_overflow(a.integer, b.integer, &made.integer);
    if (!overflows) made.kind = Kind::integer;
    return made;
  }
  const bool divides = op == Operator::floor_divide || op == Operator::modulo;
  if (whole && divides) {
    if (b.integer == 0 || b.integer == -1) return {};
    const std::int64_t remainder = a.integer % b.integer;
    const bool down = remainder != 0 && (remainder < 0) != (b.integer < 0);
    made.kind = Kind::integer;
    made.integer = op == Operator::modulo ? remainder + (down ? b.integer : 0)
                                          : a.integer / b.integer - (down ? 1 : 0);
    return made;
  }
  const double x = a.number();
  const double y = b.number();
  switch (op) {
    case Operator::add:
      made.real = x + y;
      break;
    case Operator::subtract:
      made.real = x - y;
      break;
    case Operator::multiply:
      made.real = x * y;
      break;
    case Operator::divide:
      made.real = y == 0 ? std::nan("") : x / y;
      break;
    case Operator::floor_divide:
      made.real = y == 0 ? std::nan("") : std::floor(x / y);
      break;
    case Operator::modulo:
      made.real = y == 0 ? std::nan("") : x - y * std::floor(x / y);
      break;
    case Operator::power:
      made.real = std::pow(x, y);
      break;
    default:
      return {};
  }
  if (!std::isfinite(made.real)) return {};
  made.kind = Kind::real;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (op == Operator::power && whole && b.integer >= 0 && std::abs(made.real) <= kExact) {
    made.kind = Kind::integer;
    made.integer = static_cast<std::int64_t>(made.real);
  }
  return made;
}

Value Interpreter::binary(Operator op, const Value& a, const Value& b, SourceSpan at) {
  constexpr std::size_t kLongest = 4096;
  Value made;
  if (a.is_number() && b.is_number()) {
    made = arithmetic(op, a, b);
  } else if (a.kind == Kind::text && b.kind == Kind::text &&
             (op == Operator::add || op == Operator::divide)) {
    const std::string_view x = text(a.ref);
    const std::string_view y = text(b.ref);
    if (x.size() + y.size() > kLongest) return {};
    made = make_text(op == Operator::add ? std::string(x) + std::string(y)
                                         : normalize_path(join_path(x, y)));
  } else if (op == Operator::add && a.kind == b.kind &&
             (a.kind == Kind::list || a.kind == Kind::tuple)) {
    made = make_object(a.kind);
    Object& list = objects_[made.ref];
    list.items = objects_[a.ref].items;
    const Object& more = objects_[b.ref];
    list.items.insert(list.items.end(), more.items.begin(), more.items.end());
    list.open = objects_[a.ref].open || more.open;
    made.from = at;
    return made;
  } else if (op == Operator::multiply && a.kind == Kind::list && b.kind == Kind::integer) {
    const auto items = items_of(a);
    const auto limit = static_cast<std::int64_t>(limits_.max_items);
    if (!items || b.integer < 0 || b.integer > limit) return {};
    made = make_object(Kind::list);
    made.from = at;
    for (std::int64_t i = 0; i < b.integer; ++i) {
      for (const Value& item : *items) append(made.ref, item);
    }
    return made;
  } else if (op == Operator::bit_or && a.kind == Kind::dict && b.kind == Kind::dict) {
    return merge_into(a, b, 100);
  }
  if (!made.known()) return {};
  made = made_from(made, a, b);
  if (made.origin != Origin::given) made.from = at;
  return made;
}

TextId Interpreter::key_of(const Value& value) {
  if (value.kind == Kind::text) return value.ref;
  if (value.kind == Kind::integer || value.kind == Kind::boolean) {
    return intern(std::to_string(value.integer));
  }
  return kNone;
}

Value Interpreter::subscript(const Value& of, const Value& index) {
  if (of.kind == Kind::list || of.kind == Kind::tuple) {
    if (index.kind != Kind::integer) return {};
    const Object& list = objects_[of.ref];
    const auto size = static_cast<std::int64_t>(list.items.size());
    if (index.integer < 0 && list.open) return {};
    const std::int64_t at = index.integer < 0 ? index.integer + size : index.integer;
    return at < 0 || at >= size ? Value{} : list.items[static_cast<std::size_t>(at)];
  }
  if (of.kind == Kind::instance && objects_[of.ref].type != kNone) {
    if (const Value* method = own_method(objects_[of.ref].type, intern("__getitem__"), 0)) {
      return call_function(method->ref, &of, {{{kNone, index, kNoSyntax}}, false});
    }
  }
  if (!of.has_object()) return {};
  const TextId key = key_of(index);
  const Entry* entry = key == kNone ? nullptr : find(of.ref, key);
  return entry == nullptr ? Value{} : entry->value;
}

Value Interpreter::sliced(const Value& of, SyntaxId slice) {
  const SyntaxId lower = node(slice).first;
  const SyntaxId upper = node(lower).next;
  const Value from = node(lower).kind == Syntax::error ? make_integer(0) : eval(lower);
  const bool is_list = of.kind == Kind::list || of.kind == Kind::tuple;
  const auto items = is_list ? items_of(of) : std::nullopt;
  const bool is_text = of.kind == Kind::text;
  if ((!items && !is_text) || node(upper).next != kNoSyntax) return {};
  const auto size = static_cast<std::int64_t>(is_text ? text(of.ref).size() : items->size());
  const Value to = node(upper).kind == Syntax::error ? make_integer(size) : eval(upper);
  if (from.kind != Kind::integer || to.kind != Kind::integer) return {};
  const auto place = [size](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const std::int64_t begin = place(from.integer);
  const std::int64_t end = std::max(begin, place(to.integer));
  if (is_text) {
    return made_from(make_text(std::string(text(of.ref).substr(
                         static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))),
                     of, of);
  }
  const Value made = make_object(of.kind);
  for (std::int64_t i = begin; i < end; ++i)
    append(made.ref, (*items)[static_cast<std::size_t>(i)]);
  return made;
}

Value Interpreter::comprehension(SyntaxId id) {
  const SyntaxId element = node(id).first;
  const auto makes = static_cast<Operator>(node(id).op);
  const bool is_dict = makes == Operator::makes_dict;
  const SyntaxId value = is_dict ? node(element).next : kNoSyntax;
  const SyntaxId loop = node(is_dict ? value : element).next;
  const Value made = make_object(is_dict                        ? Kind::dict
                                 : makes == Operator::makes_set ? Kind::set
                                                                : Kind::list);
  Frame frame = frames_.back();
  frame.scope = new_object();
  objects_[frame.scope].parent = frames_.back().scope;
  frame.returns.clear();
  frames_.push_back(std::move(frame));
  comprehend(loop, element, value, made);
  frames_.pop_back();
  return made;
}

void Interpreter::comprehend(SyntaxId loop, SyntaxId element, SyntaxId value, const Value& into) {
  const SyntaxId target = node(loop).first;
  const SyntaxId iterable = node(target).next;
  const auto items = items_of(eval(iterable));
  if (!items) {
    objects_[into.ref].open = true;
    return;
  }
  for (const Value& item : *items) {
    if (!step()) return;
    assign(target, item);
    std::optional<bool> wanted = true;
    for (SyntaxId test = node(iterable).next; test != kNoSyntax; test = node(test).next) {
      const auto decided = truth(eval(test));
      if (!decided || !*decided) wanted = decided;
    }
    if (!wanted) objects_[into.ref].open = true;
    if (!wanted || !*wanted) continue;
    if (node(loop).next != kNoSyntax) {
      comprehend(node(loop).next, element, value, into);
    } else if (value == kNoSyntax) {
      append(into.ref, eval(element));
    } else {
      const Value name = eval(element);
      const TextId key = key_of(name);
      const Value worth = eval(value);
      if (key == kNone) objects_[into.ref].open = true;
      if (key != kNone) set(into.ref, key, worth, name.from);
    }
  }
}

}  // namespace gpulint::python
