// What is written to names, attributes, items and members, and taken away from them.

#include "python/interpreter.h"

#include <cstddef>
#include <vector>

namespace gpulint::python {

void Interpreter::assign(SyntaxId target, const Value& value) {
  switch (node(target).kind) {
    case Syntax::name:
      assign_name(intern(tree().text(target)), value, span(target));
      return;
    case Syntax::attribute:
      assign_attribute(target, value);
      return;
    case Syntax::subscript:
      assign_item(target, value);
      return;
    case Syntax::tuple:
    case Syntax::list:
      unpack(target, value);
      return;
    case Syntax::star:
      assign(node(target).first, value);
      return;
    default:
      return;
  }
}

/// `module.trainer = Trainer()`: what a library makes of an object of its own is its own affair.
bool Interpreter::is_property_of_library(const Value& of, TextId name) const {
  const std::uint32_t type = of.kind == Kind::instance ? objects_[of.ref].type : kNone;
  const Value* found = type == kNone ? nullptr : own_method(type, name, 0);
  if (found == nullptr || found->kind != Kind::function) return false;
  const Function& function = functions_[found->ref];
  return function.call == Function::Call::property && function.module->is_library;
}

/// `__setattr__` of a project's class that is no network; whether what it writes is read back by a
/// `__getattr__` of that class.
bool Interpreter::run_setter(const Value& of, TextId attribute, const Value& value) {
  if (of.kind != Kind::instance || objects_[of.ref].part != Part::none) return false;
  const std::uint32_t type = objects_[of.ref].type;
  if (type == kNone || types_[type].module->is_library) return false;
  const Value* setter = own_method(type, intern("__setattr__"), 0);
  if (setter == nullptr || setter->kind != Kind::function) return false;
  if (frames_.back().function == setter->ref) return false;  // writes to what it keeps itself
  const Value method = *setter;
  call_function(method.ref, &of,
                {{{kNone, make_text(std::string(text(attribute))), kNoSyntax},
                  {kNone, value, kNoSyntax}},
                 false});
  const Value* getter = own_method(type, intern("__getattr__"), 0);
  return getter != nullptr && getter->kind == Kind::function;
}

void Interpreter::assign_attribute(SyntaxId target, const Value& value) {
  const Value of = eval(node(target).first);
  SourceSpan name = span(target);
  name.begin = name.end - static_cast<std::uint32_t>(tree().text(target).size());
  const TextId attribute = intern(tree().text(target));
  const bool is_of_library =
      value.kind == Kind::instance && objects_[value.ref].made_by != kNone;
  const bool is_kept_elsewhere = run_setter(of, attribute, value);
  if (of.has_object() && !is_kept_elsewhere &&
      !(is_of_library && is_property_of_library(of, attribute)))
    set(of.ref, attribute, value, name);
  if (of.kind == Kind::type) {
    set(types_[of.ref].scope, intern(tree().text(target)), value, name);
  }
}

void Interpreter::assign_item(SyntaxId target, const Value& value) {
  const Value of = eval(node(target).first);
  const SyntaxId place_of_index = tree().child(target, 1);
  const Value index = eval(place_of_index);
  if (is_tensor(of) && write_into(of, value)) return;
  report_variable(of, index, value, target);
  const bool is_sequence = of.kind == Kind::instance && objects_[of.ref].is_sequence;
  if (of.kind == Kind::list || is_sequence) {
    const bool is_slice = node(place_of_index).kind == Syntax::slice;
    if (is_slice && write_slice(of, place_of_index, value)) return;
    const auto size = static_cast<std::int64_t>(objects_[of.ref].items.size());
    const std::int64_t place = index.integer < 0 ? index.integer + size : index.integer;
    const auto at = static_cast<std::size_t>(place);
    if (index.kind == Kind::integer && at < objects_[of.ref].items.size()) {
      record(of.ref, kNone);
      objects_[of.ref].items[at] = value;
    } else {
      forget_numbers(of);
    }
  } else if (of.has_object()) {
    if (set_item(of, index, value, span(place_of_index))) return;
    const bool is_own = value.kind == Kind::instance && objects_[value.ref].type != kNone;
    if (is_own && of.kind == Kind::dict) set(of.ref, intern(running::kSomeKey), value);
  }
}

/// `x[:, i] = y`: what a gradient passes of `y` passes through `x` from then on.
bool Interpreter::write_into(const Value& tensor, const Value& value) {
  if (following_ == 0 || detached_ > 0 || !is_followed(value)) return false;
  if (!host_.needs_gradient(objects_[value.ref].tensor)) return false;
  const TensorId into = tensor_of(tensor);
  const auto sizes = into == kNone ? std::nullopt : host_.sizes_of(into);
  if (!sizes) return false;
  const Value shape = make_object(Kind::list);
  for (const Lanes& size : *sizes) append(shape.ref, lane_number(size, true));
  const Value written = make_object(Kind::list);
  append(written.ref, value);
  Arguments given;
  given.list.push_back({intern("sizes"), shape, kNoSyntax});
  given.list.push_back({intern("of"), written, kNoSyntax});
  const Value made = operation("custom", tensor, given);
  if (!is_followed(made)) return false;
  objects_[tensor.ref].tensor = objects_[made.ref].tensor;
  return true;
}

/// `first, *rest, last = items`: the middle ones become a list of their own.
std::vector<Value> Interpreter::with_rest(std::vector<Value> items, SyntaxId targets,
                                          std::size_t count) {
  std::size_t before = 0;
  for (SyntaxId at = node(targets).first; node(at).kind != Syntax::star; at = node(at).next)
    ++before;
  const std::size_t rest = items.size() + 1 - count;
  const Value list = make_object(Kind::list);
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(before);
  const auto end = begin + static_cast<std::ptrdiff_t>(rest);
  objects_[list.ref].items.assign(begin, end);
  items.insert(items.erase(begin, end), list);
  return items;
}

void Interpreter::unpack(SyntaxId targets, const Value& value) {
  auto items = items_of(value);
  std::size_t count = 0;
  bool has_star = false;
  for (SyntaxId at = node(targets).first; at != kNoSyntax; at = node(at).next) {
    ++count;
    has_star = has_star || node(at).kind == Syntax::star;
  }
  if (!items && !has_star) items = tensor_items(value, count);
  if (!items && !has_star) items = taken_apart(value, count);
  if (items && has_star && items->size() + 1 >= count) {
    items = with_rest(std::move(*items), targets, count);
    has_star = false;
  }
  const bool fits = items && items->size() == count && !has_star;
  std::vector<Value> begun;  // of a tuple of which the rest is not known
  bool all = false;
  if (!items && !has_star && value.kind == Kind::tuple) {
    begun = known_items(value, all);
    // `b, c, h, w = x.shape` of an input: it has four dimensions.
    const TensorId input = objects_[value.ref].tensor;
    const bool is_certain = following_ > 0 && doubts_ == followed_doubts_;
    if (input != kNone && is_certain) host_.has_dimensions(input, count);
  }
  std::size_t i = 0;
  for (SyntaxId at = node(targets).first; at != kNoSyntax; at = node(at).next) {
    assign(at, fits ? (*items)[i] : i < begun.size() ? begun[i] : value.known() ? Value{} : value);
    ++i;
  }
}

void Interpreter::annotated(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const SyntaxId value = tree().child(id, 2);
  if (value == kNoSyntax) return;
  targets_.push_back(source(target));
  const Value worth = eval(value);
  targets_.pop_back();
  assign(target, worth);
}

void Interpreter::augmented(SyntaxId id) {
  const SyntaxId target = node(id).first;
  const Value before = eval(target);
  const Value by = eval(node(target).next);
  const bool is_array = is_tensor(before);
  const bool is_sequence =
      before.kind == Kind::instance && objects_[before.ref].is_sequence && !is_array;
  const bool extends =
      (before.kind == Kind::list || is_sequence) && node(id).op == static_cast<int>(Operator::add);
  if (extends) {
    const auto items = items_of(by);
    if (!items) objects_[before.ref].open = true;
    if (items) {
      for (const Value& item : *items) append(before.ref, item);
    }
    return;
  }
  const Value after = binary(static_cast<Operator>(node(id).op), before, by, span(id));
  // All who have the array see it change.
  if (is_array && knows_numbers(before) && node(target).kind != Syntax::subscript) {
    const std::vector<Value> changed =
        knows_numbers(after) ? objects_[after.ref].items : std::vector<Value>{};
    forget_numbers(before);
    if (changed.size() == objects_[before.ref].items.size()) {
      objects_[before.ref].items = changed;
      objects_[before.ref].open = false;
      return;
    }
  }
  assign(target, after);
}

void Interpreter::remove(SyntaxId target) {
  if (target == kNoSyntax) return;
  Value of;
  TextId key = kNone;
  if (node(target).kind == Syntax::name) {
    of.kind = Kind::module;
    of.ref = frames_.back().scope;
    key = intern(tree().text(target));
  } else if (node(target).kind == Syntax::attribute) {
    of = eval(node(target).first);
    key = intern(tree().text(target));
  } else if (node(target).kind == Syntax::subscript) {
    of = eval(node(target).first);
    key = key_of(eval(tree().child(target, 1)));
  }
  if (of.kind == Kind::list || (of.kind == Kind::instance && objects_[of.ref].is_sequence)) {
    record(of.ref, kNone);  // which item it is does not matter: nobody knows what is left
    objects_[of.ref].items.clear();
    objects_[of.ref].open = true;
    return;
  }
  if (!of.has_object() || key == kNone || find(of.ref, key) == nullptr) return;
  if (!sides_.empty()) {
    set(of.ref, key, {});
    return;
  }
  std::erase_if(objects_[of.ref].entries, [&](const Entry& entry) { return entry.key == key; });
}

}  // namespace gpulint::python
