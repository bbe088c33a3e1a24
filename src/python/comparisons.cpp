// What is true, equal or contained, as far as it is known.

#include "base/text.h"
#include "python/interpreter.h"
#include "python/sets.h"

#include <charconv>
#include <optional>
#include <vector>

namespace gpulint::python {
namespace {

std::string_view name_of_kind(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "float";
    case Kind::text:
      return "str";
    case Kind::list:
      return "list";
    case Kind::tuple:
      return "tuple";
    case Kind::dict:
      return "dict";
    default:
      return {};
  }
}

std::vector<int> release_parts(std::string_view release) {
  std::vector<int> parts;
  for (const std::string_view part : split(release, '.')) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{}) break;
    parts.push_back(number);
  }
  return parts;
}

/// The type of a number or a text is never a library's class; that of a mapping may be.
bool tells_types_apart(std::string_view own, std::string_view other) {
  const std::size_t dot = other.rfind('.');
  const bool is_class =
      dot != other.npos && dot + 1 < other.size() && other[dot + 1] >= 'A' && other[dot + 1] <= 'Z';
  return is_class && is_one_of(own, {"bool", "int", "float", "str"});
}

}  // namespace

/// A method that stands in the code, as opposed to an attribute of something outside, which may be
/// anything.
bool Interpreter::is_own_method(const Value& value) const {
  return methods_[value.ref].function.kind == Kind::function;
}

/// Of the project, or functools.partial.
bool Interpreter::is_callable(const Value& value) const {
  return value.kind == Kind::function || value.kind == Kind::type ||
         (value.kind == Kind::method && methods_[value.ref].name == kNone);
}

std::optional<bool> Interpreter::truth(const Value& value) const {
  switch (value.kind) {
    case Kind::unknown:
    case Kind::devices:
    case Kind::share:
    case Kind::scaled:
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
    case Kind::type:
    case Kind::module:
      return true;
    case Kind::method:  // or any attribute of something outside
      return is_callable(value) || is_own_method(value) ? std::optional<bool>(true) : std::nullopt;
    case Kind::instance:
      if (objects_[value.ref].tensor != kNone) return std::nullopt;
      return objects_[value.ref].made_by == kNone && objects_[value.ref].type == kNone
                 ? std::nullopt
                 : std::optional<bool>(true);
    case Kind::external:
      return is_something(value) ? std::optional<bool>(true) : std::nullopt;
  }
  return std::nullopt;
}

bool Interpreter::is_something(const Value& value) const {
  return value.kind == Kind::external && host_.behaviour(text(value.ref)) == Behaviour::something;
}

/// One of Python's own types, which are told apart by their names; or a class of the project.
bool Interpreter::is_type_name(const Value& value) const {
  if (value.kind != Kind::external) return value.kind == Kind::type;
  const std::string_view name = text(value.ref);
  return is_one_of(name, {"bool", "int", "float", "str", "list", "tuple", "dict", "type",
                          running::kPartial});
}

std::optional<bool> Interpreter::equal(const Value& a, const Value& b) const {
  if (!a.known() || !b.known()) return std::nullopt;
  const bool are_numbers = a.is_number() && b.is_number();
  if (are_numbers && (has_lanes(a) || has_lanes(b))) return compared_lanes(Operator::equal, a, b);
  if (are_numbers) return a.number() == b.number();
  if (a.kind == Kind::text && b.kind == Kind::text) return a.ref == b.ref;
  if (a.kind == Kind::external && b.kind == Kind::external && a.ref == b.ref) return true;
  if (a.kind == Kind::external && b.kind == Kind::external &&
      (tells_types_apart(text(a.ref), text(b.ref)) || tells_types_apart(text(b.ref), text(a.ref))))
    return false;
  const bool same_class = a.kind == Kind::type && b.kind == Kind::type && a.ref == b.ref;
  if (is_type_name(a) && is_type_name(b)) return same_class;
  const bool plain_a = a.kind == Kind::none || a.kind == Kind::text || a.is_number();
  const bool plain_b = b.kind == Kind::none || b.kind == Kind::text || b.is_number();
  if (plain_a && plain_b) return a.kind == Kind::none && b.kind == Kind::none;
  const auto is_code = [this](const Value& value) {
    return is_callable(value) || is_type_name(value);
  };
  if ((plain_a && is_code(b)) || (plain_b && is_code(a))) return false;
  if ((plain_a && b.has_object() && b.kind != Kind::instance) ||
      (plain_b && a.has_object() && a.kind != Kind::instance)) {
    return false;
  }
  if (a.kind == b.kind && a.ref == b.ref && a.kind != Kind::external) return true;
  const bool are_rows = a.kind == b.kind && (a.kind == Kind::tuple || a.kind == Kind::list);
  return are_rows ? equal_items(a, b) : std::nullopt;
}

/// Of two lists or two tuples: `x.shape == y.shape`.
std::optional<bool> Interpreter::equal_items(const Value& a, const Value& b) const {
  const Object& first = objects_[a.ref];
  const Object& second = objects_[b.ref];
  if (first.open || second.open) return std::nullopt;
  if (first.items.size() != second.items.size()) return false;
  std::optional<bool> all = true;
  for (std::size_t i = 0; i < first.items.size(); ++i) {
    const Value& item = first.items[i];
    const bool is_nested = item.kind == Kind::tuple || item.kind == Kind::list;
    const std::optional<bool> same = is_nested ? std::nullopt : equal(item, second.items[i]);
    if (same == std::optional(false)) return false;
    if (!same) all.reset();
  }
  return all;
}

/// What depends on the size of a network's input is decided where all sizes agree.
std::optional<bool> Interpreter::compared_lanes(Operator op, const Value& a, const Value& b) const {
  if (!a.is_number() || !b.is_number()) return std::nullopt;
  std::optional<bool> all;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    Value x = a;
    Value y = b;
    x.kind = y.kind = Kind::real;
    x.ref = y.ref = 0;
    x.real = lanes_of(a)[lane];
    y.real = lanes_of(b)[lane];
    const std::optional<bool> here = compared(op, x, y);
    if (!here || (all && *all != *here)) return std::nullopt;
    all = here;
  }
  return all;
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
    return may_hold(container.ref, item.ref) ? std::nullopt : std::optional<bool>(false);
  }
  const bool is_number = item.kind == Kind::integer && !has_lanes(item);
  if (container.kind == Kind::dict && (is_number || item.kind == Kind::tuple)) {
    const std::optional<std::string> name = key_name(item);
    const std::optional<TextId> key = name ? texts_.find(*name) : std::nullopt;
    if (key && find(container.ref, *key) != nullptr) return true;
    const bool is_absent = name && !objects_[container.ref].open;
    return is_absent ? std::optional<bool>(false) : std::nullopt;
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

std::optional<bool> Interpreter::compared(Operator op, const Value& a, const Value& b) const {
  const auto turned = [](std::optional<bool> answer) {
    return answer ? std::optional<bool>(!*answer) : std::nullopt;
  };
  switch (op) {
    case Operator::equal:
    case Operator::is:
      return equal(a, b);
    case Operator::not_equal:
    case Operator::is_not:
      return turned(equal(a, b));
    case Operator::in:
      return contains(b, a);
    case Operator::not_in:
      return turned(contains(b, a));
    default:
      break;
  }
  if (a.kind == Kind::set && b.kind == Kind::set) {
    if (op == Operator::less_equal) return holds_all(*this, b, a);
    if (op == Operator::greater_equal) return holds_all(*this, a, b);
  }
  if (!a.is_number() || !b.is_number()) return std::nullopt;
  if (has_lanes(a) || has_lanes(b)) return compared_lanes(op, a, b);
  if (op == Operator::less) return a.number() < b.number();
  if (op == Operator::less_equal) return a.number() <= b.number();
  if (op == Operator::greater) return a.number() > b.number();
  if (op == Operator::greater_equal) return a.number() >= b.number();
  return std::nullopt;
}

/// `torch.__version__ >= "1.5"`: a description may say which release programs run with at least.
std::optional<bool> Interpreter::compared_releases(Operator op, const Value& release,
                                                   const Value& with) {
  constexpr std::string_view kRelease = ".__version__";
  if (release.kind != Kind::external || with.kind != Kind::text) return std::nullopt;
  const std::string name(text(release.ref));
  if (!name.ends_with(kRelease)) return std::nullopt;
  for (const Module* module : host_.described(name.substr(0, name.size() - kRelease.size()))) {
    const Entry* least = find(module_scope(*module), intern("__version__"));
    if (least == nullptr || least->value.kind != Kind::text) continue;
    const bool is_newer = release_parts(text(least->value.ref)) >= release_parts(text(with.ref));
    if (!is_newer) return std::nullopt;
    if (op == Operator::greater_equal) return true;
    if (op == Operator::less) return false;
  }
  return std::nullopt;
}

Value Interpreter::compare(SyntaxId id) {
  const Value a = eval(node(id).first);
  const Value b = eval(node(node(id).first).next);
  const auto op = static_cast<Operator>(node(id).op);
  const bool is_of_code =
      (b.kind == Kind::dict || b.kind == Kind::instance) && b.origin != Origin::given;
  // Asking whether something is absent reads nothing.
  if (op == Operator::not_in && a.kind == Kind::text && b.kind == Kind::dict) {
    unsay(a.ref, node(id).first);
  }
  is_guessed_ = is_guessed_ || (is_of_code && (op == Operator::in || op == Operator::not_in));
  std::optional<bool> result = compared(op, a, b);
  if (!result) result = compared_releases(op, a, b);
  // None is told from an object that something outside made.
  const bool is_test = op == Operator::is || op == Operator::is_not;
  const auto made = [this](const Value& value) {
    if (value.kind == Kind::method) return is_own_method(value);
    return value.kind == Kind::instance || value.kind == Kind::function ||
           value.kind == Kind::type || value.has_object() || is_something(value);
  };
  if (!result && is_test &&
      ((a.kind == Kind::none && made(b)) || (b.kind == Kind::none && made(a))))
    result = op == Operator::is_not;
  if (!result) return still_varying(op, a, b);
  return made_from(make_bool(*result), a, b);
}

Value Interpreter::boolean(SyntaxId id) {
  const bool is_or = node(id).op == static_cast<std::uint8_t>(Operator::logical_or);
  Value last;
  bool unknown = false;
  Value varies;  // where all that is unknown differs from round to round
  for (SyntaxId at = node(id).first; at != kNoSyntax; at = node(at).next) {
    doubts_ += unknown ? 1 : 0;
    last = eval(at);
    doubts_ -= unknown ? 1 : 0;
    const auto decided = truth(last);
    if (decided && *decided == is_or) {
      // `unknown or True` is true, whatever the first is; `unknown or 8` is not 8.
      return unknown && last.kind != Kind::boolean ? Value{} : last;
    }
    if (!decided && (!unknown || varying_of(varies) != nullptr))
      varies = varying_of(last) == nullptr || !unknown ? last : varies;
    unknown = unknown || !decided;
  }
  if (unknown) return varying_of(varies) == nullptr ? Value{} : varies;
  return last;
}

/// `type(value)`: a class of the project, or the name of one of Python's own.
Value Interpreter::type_of(const Value& value) {
  if (is_open_tensor(value)) return {};  // a batch may be a dict of tensors as well
  if (value.kind == Kind::instance && objects_[value.ref].type != kNone) {
    Value made;
    made.kind = Kind::type;
    made.ref = objects_[value.ref].type;
    return made;
  }
  if (value.kind == Kind::method && is_callable(value)) return external(running::kPartial);
  if (value.kind == Kind::type && types_[value.ref].module->is_library) return external("type");
  const std::string_view name = name_of_kind(value.kind);
  const bool is_plain_dict = value.kind != Kind::dict || objects_[value.ref].type == kNone;
  return name.empty() || !is_plain_dict ? Value{} : external(name);
}

}  // namespace gpulint::python
