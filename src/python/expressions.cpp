#include "python/interpreter.h"

#include <charconv>
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
  note_run(id);
  const std::int64_t outer = std::exchange(cause_, kNoCause);
  Value value = eval_kind(id);
  std::int64_t cause = kNoCause;
  if (!value.known()) {
    value = because(value, cause_ != kNoCause ? cause_ : here(id));
    cause = value.integer;
  } else if (value.kind == Kind::method) {
    cause = cause_of(value);
  }
  cause_ = outer != kNoCause ? outer : cause;
  --nesting_;
  note_value(value);
  const bool is_of_config = value.origin == Origin::given && value.from.known();
  if (stated_ != nullptr && is_of_config) stated_->push_back(value.from);
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
    case Syntax::string: {
      const Value made = make_text(tree().text(id), span(id));
      ++said_[made.ref];
      return made;
    }
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
    case Syntax::attribute: {
      const Value of = eval(at.first);
      const TextId name = intern(tree().text(id));
      if (of.kind == Kind::dict) refuse_missing(of, name, id, true);
      if (of.kind == Kind::instance) note_absent_option(of, name, id);
      note_asked(of, name, kNoSyntax, id);
      return attribute(of, name, at.first);
    }
    case Syntax::subscript: {
      const Value of = eval(at.first);
      const SyntaxId index = node(at.first).next;
      if (is_tensor(of) && following_ > 0) tensor_of(of);
      const bool has_views = node(index).kind == Syntax::tuple || source(index) == "None";
      if (is_followed(of) || (is_tensor(of) && (!objects_[of.ref].is_sequence || has_views)))
        return tensor_item(of, index);
      if (node(index).kind == Syntax::slice) return sliced(of, index);
      const Value key = eval(index);
      if (of.kind == Kind::dict) refuse_missing(of, key_of(key), id, false);
      if (of.kind != Kind::list && of.kind != Kind::tuple)
        note_asked(of, key_of(key), index, index);
      return subscript(of, key);
    }
    case Syntax::unary:
      return unary(id);
    case Syntax::binary: {
      const Value left = eval(at.first);
      const Value right = eval(node(at.first).next);
      const auto op = static_cast<Operator>(at.op);
      if (op == Operator::power) report_power(left, right, id);
      const Value made = binary(op, left, right, span(id));
      return made.known() ? made : in_proportion(made, op, left, right, id);
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
      note_yielded(eval(at.first), at.op != 0);
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
    const std::optional<std::string> piece = shown(part);
    known = known && piece;
    whole += piece.value_or("");
    if (part.origin == Origin::given) from = part;
  }
  if (!known) return {};
  Value made = make_text(whole, span(id));
  return from.origin == Origin::given ? made_from(made, from, from) : made;
}

Value Interpreter::conditional(SyntaxId id) {
  const SyntaxId then = node(id).first;
  const SyntaxId condition = node(then).next;
  const Value value = eval(condition);
  if (const auto decided = truth(value)) {
    const SyntaxId otherwise = node(condition).next;
    skip(*decided ? otherwise : then, value);
    return eval(*decided ? then : otherwise);
  }
  sides_.push_back({decisions_++, false});
  const ObjectId fresh = fresh_;
  fresh_ = static_cast<ObjectId>(objects_.size());
  ++doubts_;
  const Value a = eval(then);
  sides_.back().second = true;
  const Value b = eval(node(condition).next);
  --doubts_;
  sides_.pop_back();
  fresh_ = fresh;
  return because(joined(a, b), as_condition(value.known() ? here(condition) : value.integer));
}

}  // namespace gpulint::python
