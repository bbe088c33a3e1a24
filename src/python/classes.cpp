// Instances of classes of the project.

#include "base/text.h"
#include "python/interpreter.h"
#include "python/running.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {
Value Interpreter::construct(std::uint32_t type, Arguments arguments, SyntaxId at) {
  if (builds_networks(type)) return construct_network(type, std::move(arguments), at);
  if (has_base(type, Behaviour::class_parser, 0)) return class_parser(arguments);
  if (has_base(type, Behaviour::enumeration, 0)) {
    const Value wanted = argument_value(arguments, 0, "value");
    auto all = members_of(type);
    if (!all) return {};
    const std::size_t members = all->size();
    all->push_back(wanted);
    return each_once(*all).size() == members ? wanted : Value{};
  }
  Value self = make_object(is_dict(type, 0) ? Kind::dict : Kind::instance);
  objects_[self.ref].type = type;
  const Value* constructor = own_method(type, intern("__init__"), 0);
  const bool is_tried = has_base(type, Behaviour::tried, 0);
  if (is_tried || has_base(type, Behaviour::opaque, 0)) {
    objects_[self.ref].open = true;
    const bool is_own = constructor != nullptr && constructor->kind == Kind::function;
    if (is_own) refuse_surplus(functions_[constructor->ref], arguments);
    if (is_own && report_own_optimizer(type, self, arguments, at)) return self;
    for (const Argument& each : arguments.list) {
      if (each.name != kNone) set(self.ref, each.name, each.value);
    }
    const std::vector<Value> bases = types_[type].bases;
    for (const Value& base : bases) {  // what it is given says whose optimizer it is
      if (base.kind == Kind::external) report(text(base.ref), arguments, at, {}, is_own);
    }
    if (is_tried && is_own) try_constructor(constructor->ref, self, std::move(arguments));
    return self;
  }
  if (constructor != nullptr && constructor->kind == Kind::function) {
    call_function(constructor->ref, &self, std::move(arguments));
    return self;
  }
  if (fields_of(type, 0) != Behaviour::none) {
    fill_fields(type, self, arguments, 0);
    const Value* after = own_method(type, intern("__post_init__"), 0);
    if (after != nullptr && after->kind == Kind::function) call_function(after->ref, &self, {});
    const std::vector<Value>& bases = types_[type].bases;
    if (std::any_of(bases.begin(), bases.end(), [this](const Value& base) {
          return base.kind == Kind::external && text(base.ref) == "typing.NamedTuple";
        }))
      list_fields(self);
    report_fields(type, self, arguments.open, at, 0);
    return self;
  }
  // The class may stand in another file than the call: the place is that of an argument.
  SyntaxId place = kNoSyntax;
  for (const Argument& each : arguments.list) {
    if (place == kNoSyntax) place = each.node;
  }
  for (const Value& base : types_[type].bases) {  // a constructor of something outside
    if (base.kind == Kind::external) call_external(base, arguments, place);
    // `class Block(namedtuple("Block", ["width"]))`
    const Value made = base.kind == Kind::method ? call(Value(base), arguments, place) : Value{};
    if (made.kind == Kind::instance && objects_[made.ref].is_sequence) {
      objects_[self.ref] = objects_[made.ref];
      objects_[self.ref].type = type;
      continue;
    }
    objects_[self.ref].open = objects_[self.ref].open || base.kind != Kind::type;
  }
  if (self.kind == Kind::dict) {
    const Value made = dict_of(arguments);
    objects_[self.ref].entries = objects_[made.ref].entries;
    objects_[self.ref].open = objects_[self.ref].open || objects_[made.ref].open;
  }
  return self;
}

/// The annotated names of a class and of its bases become attributes: from the arguments, else
/// their defaults.
void Interpreter::fill_fields(std::uint32_t type, const Value& self, Arguments& arguments,
                              int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return;
  const Type of = types_[type];
  for (const Value& base : of.bases) {
    if (base.kind == Kind::type) fill_fields(base.ref, self, arguments, depth + 1);
  }
  Frame frame;
  frame.module = of.module;
  frame.scope = new_object();
  frame.module_scope = modules_.count(of.module) != 0 ? modules_.at(of.module) : 0;
  objects_[frame.scope].parent = of.scope;
  frames_.push_back(std::move(frame));
  const bool coerces = fields_of(type, 0) == Behaviour::coerced_fields;
  std::size_t position = 0;
  for (SyntaxId at = node(of.module->tree.child(of.node, 1)).first; at != kNoSyntax;
       at = node(at).next) {
    const SyntaxId target = node(at).first;
    if (node(at).kind != Syntax::annotated || node(target).kind != Syntax::name) continue;
    const TextId name = intern(tree().text(target));
    const SyntaxId annotation = node(target).next;
    const SyntaxId otherwise = node(annotation).next;
    const Argument* given =
        argument(arguments, depth == 0 ? position++ : kByName, text(name), *this);
    Value value;
    if (given != nullptr) {
      value = coerces ? coerce(given->value, annotation, of) : given->value;
    } else if (otherwise != kNoSyntax && !arguments.open) {
      value = eval(otherwise);
      if (value.kind == Kind::instance && objects_[value.ref].made_by != kNone) {
        // field(default_factory=…): `default` or what the factory makes
        const Entry* plain = find(value.ref, intern("default"));
        const Entry* factory = find(value.ref, intern("default_factory"));
        value = plain != nullptr     ? plain->value
                : factory != nullptr ? call(factory->value, {}, kNoSyntax)
                                     : Value{};
      }
    }
    set(self.ref, name, value, span(target));
  }
  frames_.pop_back();
}

/// A dict in the place of an annotated class becomes one.
Value Interpreter::coerce(const Value& value, SyntaxId annotation, const Type& type) {
  if (value.kind != Kind::dict) return value;
  SyntaxId name = annotation;
  while (type.module->tree.node(name).kind == Syntax::subscript) {  // Optional[X]
    name = type.module->tree.child(name, 1);
  }
  if (type.module->tree.node(name).kind == Syntax::binary)
    name = type.module->tree.node(name).first;
  const Value wanted = eval(name);
  return wanted.kind == Kind::type ? structure(wanted, value) : value;
}

/// A class filled from a dict, nested classes too.
Value Interpreter::structure(const Value& type, const Value& data) {
  if (type.kind != Kind::type || data.kind != Kind::dict) return {};
  const Behaviour fields = types_[type.ref].fields;
  types_[type.ref].fields = Behaviour::coerced_fields;
  Arguments arguments;
  add_unpacked(arguments, data);
  const Value made = construct(type.ref, std::move(arguments));
  types_[type.ref].fields = fields;
  return made;
}

/// The class and what fills it stand in either order: `from_dict(C, d)`, `convert(d, C)`.
Value Interpreter::filled_class(Behaviour how, const Value& callee, const Arguments& arguments,
                                SyntaxId at) {
  Value type;
  Value rest;
  for (const Argument& each : arguments.list) {
    Value& part = each.value.kind == Kind::type ? type : rest;
    const bool is_better = part.kind != Kind::dict && each.value.kind == Kind::dict;
    if (!part.known() || is_better) part = each.value;
  }
  if (how == Behaviour::load_class) {
    if (at != kNoSyntax) asked_at_ = span(at);
    rest = host_.load(*this, rest, text(callee.ref)).value_or(Value{});
  } else if (arguments.list.size() == 1) {  // a class or an instance alone, with its defaults
    if (!type.known()) return rest;
    rest = make_object(Kind::dict);
  }
  return structure(type, rest);
}

/// `C.load` where a base of C outside the project has a method that fills the class it is asked of.
Value Interpreter::inherited_maker(const Value& type, std::string_view method, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return {};
  for (const Value& base : types_[type.ref].bases) {
    if (base.kind == Kind::type) {
      const Value found = inherited_maker(base, method, depth + 1);
      if (found.known()) return found;
    }
    if (base.kind != Kind::external) continue;
    const std::string whole = std::string(text(base.ref)) + "." + std::string(method);
    const Behaviour how = host_.behaviour(whole);
    if (how == Behaviour::structure || how == Behaviour::load_class) return external(whole);
  }
  return {};
}

/// A parser that makes classes remembers which.
Value Interpreter::class_parser(const Arguments& arguments) {
  const Value made = make_object(Kind::instance);
  objects_[made.ref].made_by = intern(running::kClassParser);
  const Value types = argument_value(arguments, 0, "dataclass_types");
  set(made.ref, intern(running::kClassParser), types, {});
  return made;
}

/// What its `parse…` methods return: each class, made of the config and the command line.
Value Interpreter::classes_of_config(const Value& parser, std::string_view method,
                                     const Arguments& arguments, SyntaxId at) {
  const Entry* types = find(parser.ref, intern(running::kClassParser));
  if (!method.starts_with("parse") || types == nullptr) return {};
  const Value wanted = types->value;
  const auto listed = items_of(wanted);
  const std::vector<Value> each = listed ? *listed : std::vector<Value>{wanted};
  const Value config = host_.load(*this, {}, {}).value_or(Value{});
  const Value made = make_object(Kind::tuple);
  const Arguments others = options_of_libraries(each, config);
  for (const Value& type : each) append(made.ref, class_of_config(type, config, others, at));
  const bool takes_any =
      std::any_of(arguments.list.begin(), arguments.list.end(), [&](const auto& a) {
        return truth(a.value) == std::optional<bool>(true) && a.value.kind == Kind::boolean;
      });
  if (!takes_any) refuse_unknown_fields(each, objects_[made.ref].items, config);
  const bool is_alone = method == "parse" && each.size() == 1;  // a project's own shorthand
  return is_alone ? objects_[made.ref].items.front() : made;
}

/// What the command line gives that no class of the project has as a field: classes of libraries
/// take it.
Interpreter::Arguments Interpreter::options_of_libraries(const std::vector<Value>& types,
                                                         const Value& config) {
  std::vector<Argument> given;
  Arguments made;
  if (auto options = host_.given_options(*this)) {
    given = std::move(*options);
  } else {
    made.open = true;
  }
  made.open = made.open || !host_.knows_option({}, Unset::off);
  if (config.kind == Kind::dict) {
    made.open = made.open || objects_[config.ref].open;
    for (const Entry& entry : objects_[config.ref].entries)
      given.push_back({entry.key, entry.value, kNoSyntax});
  }
  for (const Argument& each : given) {
    const auto has_field = [&](const Value& type) { return takes_field(type, each.name, 0); };
    const auto is_same = [&](const Argument& other) { return other.name == each.name; };
    if (std::any_of(types.begin(), types.end(), has_field)) continue;
    if (std::none_of(made.list.begin(), made.list.end(), is_same)) made.list.push_back(each);
  }
  return made;
}

bool Interpreter::takes_field(const Value& type, TextId name, int depth) const {
  constexpr int kDeepest = 8;
  if (type.kind != Kind::type || depth > kDeepest) return false;
  const Type& of = types_[type.ref];
  const SyntaxTree& tree = of.module->tree;
  for (SyntaxId at = tree.node(tree.child(of.node, 1)).first; at != kNoSyntax;
       at = tree.node(at).next) {
    const SyntaxId target = tree.node(at).first;
    if (tree.node(at).kind != Syntax::annotated || tree.node(target).kind != Syntax::name) continue;
    if (tree.text(target) == text(name)) return true;
  }
  return std::any_of(of.bases.begin(), of.bases.end(), [&](const Value& base) {
    return takes_field(base, name, depth + 1);
  });
}

/// `--optim.lr 0.1` gives one field of the class in a field, and leaves the others as they are.
void Interpreter::give_field(ObjectId made, const Entry& field, const Value& given) {
  if (given.kind != Kind::dict ||
      (field.value.kind != Kind::instance && field.value.kind != Kind::dict)) {
    Value taken = given;
    if (field.value.kind == Kind::boolean && given.kind == Kind::text) {
      taken = make_bool(is_one_of(to_lower(text(given.ref)), {"true", "t", "yes", "y", "on", "1"}));
      taken.from = given.from;
      taken.origin = given.origin;
    }
    set(made, field.key, taken, taken.from);
    return;
  }
  const std::vector<Entry> parts = objects_[given.ref].entries;
  for (const Entry& part : parts) {
    std::string name(text(part.key));
    std::replace(name.begin(), name.end(), '-', '_');
    const TextId key = intern(name);
    const Entry* own = find(field.value.ref, key);
    give_field(field.value.ref, own != nullptr ? Entry(*own) : Entry{.key = key}, part.value);
  }
}

Value Interpreter::class_of_config(const Value& type, SyntaxId at) {
  const Value config = host_.load(*this, {}, {}).value_or(Value{});
  return class_of_config(type, config, options_of_libraries({type}, config), at);
}

Value Interpreter::class_of_config(const Value& type, const Value& config, const Arguments& others,
                                   SyntaxId at) {
  Value given = make_object(Kind::dict);
  if (config.kind == Kind::dict) objects_[given.ref].entries = objects_[config.ref].entries;
  Value made;
  if (type.kind == Kind::type) {
    made = structure(type, given);
  } else {
    made = make_object(Kind::instance);  // of a library: what else it holds nobody knows
    objects_[made.ref].entries = objects_[given.ref].entries;
  }
  if (!made.has_object()) return made;
  const bool extends_outside =
      type.kind != Kind::type ||
      std::any_of(types_[type.ref].bases.begin(), types_[type.ref].bases.end(),
                  [](const Value& base) { return base.kind == Kind::external; });
  if (extends_outside) {
    const std::vector<Entry> entries = objects_[given.ref].entries;
    for (const Entry& entry : entries) {
      if (find(made.ref, entry.key) == nullptr)
        set(made.ref, entry.key, entry.value, entry.key_span);
    }
    objects_[made.ref].open = true;
  }
  const std::vector<Entry> fields = objects_[made.ref].entries;
  bool is_given = false;
  for (const Entry& field : fields) {
    const auto argument = host_.argument(*this, text(field.key));
    if (argument) give_field(made.ref, field, *argument);
    is_given = is_given || argument.has_value();
  }
  // What is worked out of the fields is worked out of those that the command gives.
  if (is_given && type.kind == Kind::type && own_method(type.ref, intern("__post_init__"), 0)) {
    objects_[given.ref].entries.clear();
    for (const Entry& field : std::vector<Entry>(objects_[made.ref].entries)) {
      if (takes_field(type, field.key, 0)) set(given.ref, field.key, field.value, field.key_span);
    }
    if (const Value again = structure(type, given); again.has_object()) made = again;
  }
  if (extends_outside) {
    for (const Argument& each : others.list) set(made.ref, each.name, each.value, each.value.from);
  }
  if (type.kind == Kind::type) report_fields(type.ref, made, others.open, at, 0);
  if (type.kind == Kind::external && at != kNoSyntax) report(text(type.ref), others, at, {});
  return made;
}

/// A class of fields that extends one of a library makes what that makes, with defaults of its own.
void Interpreter::report_fields(std::uint32_t type, const Value& filled, bool is_open, SyntaxId at,
                                int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest || at == kNoSyntax || filled.kind != Kind::instance) return;
  Arguments arguments;
  arguments.open = is_open;
  for (const Entry& entry : objects_[filled.ref].entries)
    arguments.list.push_back({entry.key, entry.value, kNoSyntax});
  const std::vector<Value> bases = types_[type].bases;
  for (const Value& base : bases) {
    if (base.kind == Kind::type) report_fields(base.ref, filled, is_open, at, depth + 1);
    if (base.kind == Kind::external) report(text(base.ref), arguments, at, {});
  }
}

}  // namespace gpulint::python
