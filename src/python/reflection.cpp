// What code asks of its own names: types, attributes, fields.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <string>

namespace gpulint::python {

bool Interpreter::derives(std::uint32_t type, std::uint32_t from, int depth) const {
  constexpr int kDeepest = 16;
  if (type == from) return true;
  return depth < kDeepest &&
         std::any_of(types_[type].bases.begin(), types_[type].bases.end(), [&](const Value& base) {
           return base.kind == Kind::type && derives(base.ref, from, depth + 1);
         });
}

namespace {

/// Whether Python counts a value of its own among a kind that collections.abc or typing names;
/// nullopt: it is none of these, or nobody knows.
std::optional<bool> is_abstract(const Value& value, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view module = dot == std::string_view::npos ? "" : name.substr(0, dot);
  if (module != "collections.abc" && module != "typing" && module != "collections")
    return std::nullopt;
  const std::string_view word = name.substr(dot + 1);
  const bool is_dict = value.kind == Kind::dict;
  const bool is_set = value.kind == Kind::set;
  const bool is_sequence =
      value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::text;
  const bool is_other = value.kind == Kind::none || value.is_number();
  if (!is_dict && !is_set && !is_sequence && !is_other) return std::nullopt;
  if (word == "Mapping" || word == "MutableMapping") return is_dict;
  if (word == "Sequence") return is_sequence;
  if (word == "MutableSequence") return value.kind == Kind::list;
  if (word == "Set" || word == "MutableSet") return is_set;
  if (word == "Iterable" || word == "Collection" || word == "Sized" || word == "Container")
    return !is_other;
  if (word == "Callable") return false;
  return std::nullopt;
}

}  // namespace

/// Every class that it derives from is the project's, or a library's that is described.
bool Interpreter::is_of_known_bases(std::uint32_t type, int depth) const {
  constexpr int kDeepest = 16;
  return depth < kDeepest &&
         std::all_of(types_[type].bases.begin(), types_[type].bases.end(), [&](const Value& base) {
           return base.kind == Kind::type && is_of_known_bases(base.ref, depth + 1);
         });
}

std::optional<bool> Interpreter::is_instance(const Value& value, const Value& type) const {
  if (!value.known() || value.kind == Kind::external) return std::nullopt;
  // Any attribute of something outside: `loader.dataset`.
  if (value.kind == Kind::method && !is_callable(value) && !is_own_method(value))
    return std::nullopt;
  if (type.kind == Kind::tuple) {
    bool any_unknown = false;
    for (const Value& each : objects_[type.ref].items) {
      const auto found = is_instance(value, each);
      if (found && *found) return true;
      any_unknown = any_unknown || !found;
    }
    return any_unknown ? std::nullopt : std::optional<bool>(false);
  }
  if (type.kind == Kind::type) {
    if (value.kind != Kind::instance && value.kind != Kind::dict) return false;
    const std::uint32_t of = objects_[value.ref].type;
    if (of == kNone) return value.kind == Kind::dict ? std::optional<bool>(false) : std::nullopt;
    return derives(of, type.ref, 0);
  }
  if (type.kind != Kind::external || is_open_tensor(value)) return std::nullopt;
  const std::string_view name = text(type.ref);
  // What wraps a network and passes all calls on (`DDP(net)`) is followed as the network itself.
  if (is_network(value) && objects_[value.ref].type != kNone && name.find('.') != name.npos)
    return is_of_known_bases(objects_[value.ref].type, 0) ? std::optional(false) : std::nullopt;
  if (name == "type" && !value.has_object()) return value.kind == Kind::type;
  if (name == "types.FunctionType") return value.kind == Kind::function;
  if (name == "dict") return value.kind == Kind::dict;
  if (name == "list") return value.kind == Kind::list;
  if (name == "tuple") return value.kind == Kind::tuple;
  if (name == "str") return value.kind == Kind::text;
  if (name == "bool") return value.kind == Kind::boolean;
  if (name == "int") return value.kind == Kind::integer || value.kind == Kind::boolean;
  if (name == "float") return value.kind == Kind::real;
  if (name == "numbers.Integral")
    return value.kind == Kind::integer || value.kind == Kind::boolean;
  if (name == "numbers.Number" || name == "numbers.Real") return value.is_number();
  // A config whose items are attributes too is of the library that loaded it.
  const bool is_config = value.kind == Kind::dict && objects_[value.ref].has_attributes;
  if (is_config && is_mapping_class(host_.behaviour(name))) return true;
  if (name == "set" || name == "frozenset") return value.kind == Kind::set;
  if (name == "bytes" && value.kind != Kind::text) return false;
  if (const std::optional<bool> known = is_abstract(value, name)) return known;
  const bool is_plain = value.kind == Kind::none || value.kind == Kind::text || value.is_number();
  if (is_plain && name.find('.') == std::string_view::npos) return std::nullopt;
  if (is_plain) return name.ends_with("Number") ? std::nullopt : std::optional<bool>(false);
  return std::nullopt;
}

/// What a module binds, as `vars(module)` has it.
Value Interpreter::names_of_module(const Value& module) {
  const Value made = make_object(Kind::dict);
  const std::vector<Entry> entries = objects_[module.ref].entries;
  for (const Entry& each : entries)
    if (!text(each.key).starts_with("__")) set(made.ref, each.key, each.value);
  objects_[made.ref].open = objects_[module.ref].open;
  return made;
}

/// Bases that nobody knows may derive from the class in question.
std::optional<bool> Interpreter::is_subclass(const Value& type, const Value& of) const {
  if (type.kind != Kind::type || of.kind != Kind::type) return std::nullopt;
  if (derives(type.ref, of.ref, 0)) return true;
  return is_of_known_bases(type.ref, 0) ? std::optional(false) : std::nullopt;
}

std::optional<Value> Interpreter::reflection(std::string_view name, Arguments& arguments) {
  const Value of = argument_value(arguments, 0, "");
  const Value key = argument_value(arguments, 1, "");
  if (name == "isinstance" || name == "issubclass") {
    is_guessed_ = true;
    const auto found = name == "isinstance" ? is_instance(of, key) : is_subclass(of, key);
    return found ? make_bool(*found) : Value{};
  }
  if (name == "vars") {
    if (of.kind == Kind::external)
      return external(std::string(text_of(of)).append(running::kNames));
    if (of.kind == Kind::type && !types_[of.ref].module->is_library) return names_of_class(of);
    Value same = of;
    if (same.kind == Kind::instance) same.kind = Kind::dict;
    return same;
  }
  if (name != "setattr") {
    const SyntaxId literal = arguments.list.size() < 2 ? kNoSyntax : arguments.list[1].node;
    note_asked(of, key.kind == Kind::text ? key.ref : kNone, literal, literal);
  }
  const bool may_be_config = name == "getattr" && of.kind == Kind::module && !key.known();
  if (may_be_config) chosen_config(key, of);
  if (key.kind != Kind::text) {
    if (name != "setattr" || !of.has_object()) return Value{};
    const bool may_be_any = objects_[of.ref].part == Part::none && building_ == 0;
    if (may_be_any) forget_entries(of.ref);
    objects_[of.ref].open = true;
    return Value{};
  }
  if (name == "setattr") {
    const Value value = argument_value(arguments, 2, "");
    if (of.has_object()) set(of.ref, key.ref, value, value.from);
    return Value{.kind = Kind::none};
  }
  if (name == "hasattr") {
    if (of.kind == Kind::external) {
      const std::string whole = std::string(text(of.ref)) + "." + std::string(text(key.ref));
      const bool is_there = described(intern(whole)).known();
      return is_there ? make_bool(true) : Value{};
    }
    if (!of.has_object()) return Value{};
    if (find(of.ref, key.ref) != nullptr) return make_bool(true);
    const Object& object = objects_[of.ref];
    if (object.type != kNone && own_method(object.type, key.ref, 0) != nullptr)
      return make_bool(true);
    const bool unknown = object.open || of.kind == Kind::module;
    return unknown ? Value{} : make_bool(false);
  }
  Value found = attribute(of, key.ref, kNoSyntax);  // getattr
  if (of.kind == Kind::external) found = chosen_by(key, found);
  if (of.kind == Kind::module) {
    if (auto config = chosen_config(key, found)) return *config;
  }
  if (of.kind == Kind::external || found.known()) {
    const bool is_absent = found.kind == Kind::method && !methods_[found.ref].function.known() &&
                           arguments.list.size() > 2;
    if (!is_absent) return found;
  }
  const bool closed = of.has_object() && !objects_[of.ref].open && of.kind != Kind::module;
  return closed && arguments.list.size() > 2 ? argument_value(arguments, 2, "") : Value{};
}

/// `getattr(configs, args.config)`, `import_module(args.config)`: the config itself perhaps.
std::optional<Value> Interpreter::chosen_config(const Value& key, const Value& found) {
  if (key.known() && key.origin != Origin::given) return std::nullopt;
  if (found.kind != Kind::module && found.kind != Kind::dict) return std::nullopt;
  const auto home = std::find_if(modules_.begin(), modules_.end(), [&](const auto& each) {
    return found.kind == Kind::module ? each.second == found.ref
                                      : each.first->file == found.from.file;
  });
  if (home == modules_.end() || home->first->is_library) return std::nullopt;
  return host_.chosen(*this, home->first->path, key.known() ? found : Value{});
}

/// With it, annotations stay as they are written: their text.
constexpr std::string_view kPostponed = "from __future__ import annotations";

/// `__dataclass_fields__`: of a class and its bases.
Value Interpreter::fields_by_name(std::uint32_t type, int depth) {
  constexpr int kDeepest = 8;
  const Value made = make_object(Kind::dict);
  if (depth > kDeepest) return made;
  const std::vector<Value> bases = types_[type].bases;
  for (const Value& base : bases) {
    if (base.kind != Kind::type) continue;
    const std::vector<Entry> inherited = objects_[fields_by_name(base.ref, depth + 1).ref].entries;
    for (const Entry& each : inherited) set(made.ref, each.key, each.value);
  }
  const SyntaxTree& code = types_[type].module->tree;
  Frame frame;  // annotations are worked out where the class stands
  frame.module = types_[type].module;
  frame.scope = types_[type].scope;
  frame.module_scope = modules_.count(frame.module) != 0 ? modules_.at(frame.module) : 0;
  const bool is_postponed = frame.module->text.find(kPostponed) != std::string::npos;
  frames_.push_back(std::move(frame));
  for (SyntaxId at = code.node(code.child(types_[type].node, 1)).first; at != kNoSyntax;
       at = code.node(at).next) {
    if (code.node(at).kind != Syntax::annotated) continue;
    const Value field = make_object(Kind::instance);
    objects_[field.ref].open = true;
    const TextId name = intern(code.text(code.node(at).first));
    set(field.ref, intern("name"), make_text(text(name)));
    const SyntaxId annotation = code.node(code.node(at).first).next;
    set(field.ref, intern("type"),
        is_postponed ? make_text(code.text(annotation)) : eval(annotation));
    const SyntaxId otherwise = code.node(annotation).next;
    const Value given = otherwise == kNoSyntax ? Value{} : eval(otherwise);
    const bool is_described =
        given.kind == Kind::instance && objects_[given.ref].made_by == intern("dataclasses.field");
    const Entry* inner = is_described ? find(given.ref, intern("default")) : nullptr;
    const Value worth = !is_described ? given : inner != nullptr ? Value(inner->value) : Value{};
    if (worth.known()) set(field.ref, intern("default"), worth);
    set(made.ref, name, field);
  }
  frames_.pop_back();
  return made;
}

/// What a dotted name stands for where it is read: "Kind.adam".
Value Interpreter::named(std::string_view dotted) {
  Value found;
  bool is_first = true;
  for (const std::string_view part : split(dotted, '.')) {
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_name_part)) return {};
    const TextId name = intern(part);
    found = is_first ? lookup(name) : attribute(found, name, kNoSyntax);
    is_first = false;
  }
  return found;
}

/// `eval("torch.optim." + name)`: what a class or function of that dotted name is.
Value Interpreter::evaluated_name(const Value& written) {
  const std::string dotted(text(written.ref));
  Value found = named(dotted);
  if (found.kind == Kind::external && written.origin == Origin::given) {
    found.origin = written.origin;
    found.from = written.from;
  }
  const bool is_named = found.kind == Kind::type || found.kind == Kind::function ||
                        (found.kind == Kind::external && dotted.find('.') != dotted.npos);
  return is_named ? found : Value{};
}

}  // namespace gpulint::python
