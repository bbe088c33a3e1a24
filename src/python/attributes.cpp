#include "base/text.h"
#include "python/interpreter.h"

#include <array>
#include <utility>

namespace gpulint::python {
namespace {

bool is_mapping_method(std::string_view name) {
  constexpr std::array<std::string_view, 18> kNames = {
      "get",      "items",        "keys",  "values",    "update",   "pop",
      "copy",     "setdefault",   "clear", "popitem",   "fromkeys", "merge_update",
      "clone",    "to_dict",      "toDict", "iteritems", "iterkeys", "itervalues"};
  for (const std::string_view each : kNames) {
    if (each == name) return true;
  }
  return false;
}

}  // namespace

/// A method of a class or of its bases in the project, as stored in the class.
const Value* Interpreter::own_method(std::uint32_t type, TextId name, int depth) const {
  constexpr int kDeepest = 16;
  if (depth > kDeepest) return nullptr;
  if (const Entry* entry = find(types_[type].scope, name)) return &entry->value;
  for (const Value& base : types_[type].bases) {
    if (base.kind != Kind::type) continue;
    if (const Value* found = own_method(base.ref, name, depth + 1)) return found;
  }
  return nullptr;
}

Value Interpreter::method_value(Method method) {
  Value made;
  made.kind = Kind::method;
  made.ref = static_cast<std::uint32_t>(methods_.size());
  methods_.push_back(std::move(method));
  return made;
}

/// `name` looked up in a class for an instance: functions come bound, properties are worked out.
Value Interpreter::class_attribute(std::uint32_t type, TextId name, const Value& self, int depth) {
  const Value* found = own_method(type, name, depth);
  if (found == nullptr) return {};
  if (found->kind != Kind::function) return *found;
  const Function& function = functions_[found->ref];
  if (function.call == Function::Call::is_static) return *found;
  if (function.call == Function::Call::property) return call_function(found->ref, &self, {});
  Value self_value = self;
  if (function.call == Function::Call::is_class) {
    self_value = {};
    self_value.kind = Kind::type;
    self_value.ref = self.kind == Kind::type ? self.ref : type;
  } else if (self.kind == Kind::type) {
    return *found;  // Class.method: not bound
  }
  return method_value({*found, self_value, name});
}

Value Interpreter::attribute(const Value& of, TextId name, SyntaxId receiver) {
  const std::string_view word = text(name);
  const bool is_fields =
      is_one_of(word, {"__dataclass_fields__", "model_fields", "__annotations__"});
  if (is_fields && (of.kind == Kind::type || of.kind == Kind::instance)) {
    const std::uint32_t type = of.kind == Kind::type ? of.ref : objects_[of.ref].type;
    if (type != kNone) return fields_by_name(type);
  }
  if (word == "__getattribute__") return method_value({{}, of, name});
  if (of.kind == Kind::external) {
    const std::string whole = std::string(text(of.ref)) + "." + std::string(word);
    if (kept_config_.known() && host_.behaviour(whole) == Behaviour::kept_config)
      return kept_config_;
    const bool is_option = options_.known() && host_.behaviour(text(of.ref)) == Behaviour::options;
    const Entry* option = is_option ? find(options_.ref, intern(word)) : nullptr;
    if (option != nullptr) return option->value;
    const bool is_of_mapping = text(of.ref).ends_with(running::kNames) && word == "get";
    return is_of_mapping ? method_value({{}, of, name}) : external(whole);
  }
  if (of.kind == Kind::module && word == "__dict__") return of;
  if (of.kind == Kind::module && word == "load_module") return method_value({{}, of, name});
  const bool is_of_names = is_one_of(word, {"items", "keys", "values"});  // of its `__dict__`
  if (of.kind == Kind::module && is_of_names && find(of.ref, name) == nullptr)
    return method_value({{}, of, name});
  if (of.kind == Kind::module) {
    const Value found = from_module(of, {}, name);
    return found.known() || word != "get" ? found : method_value({{}, of, name});
  }
  if (of.kind == Kind::type) {
    if (word == "__name__") return make_text(types_[of.ref].module->tree.text(types_[of.ref].node));
    const Value found = class_attribute(of.ref, name, of, 0);
    if (!found.known()) {
      if (const Value maker = inherited_maker(of, word, 0); maker.known()) {
        return method_value({maker, {}, kNone, {{kNone, of, kNoSyntax}}});
      }
    }
    if (word == "__dict__" && !types_[of.ref].module->is_library) return names_of_class(of);
    const bool is_library = !found.known() && types_[of.ref].module->is_library;
    if (is_library) return external(library_name(of.ref) + "." + std::string(word));
    const bool is_called = callee_ != kNoSyntax && own_method(of.ref, name, 0) == nullptr;
    return is_called && !found.known() ? of_outside_base(of.ref, word, 0) : found;
  }
  const bool is_plain = of.kind == Kind::text || of.is_number();
  if (is_plain && word == "value") return of;  // of a member of an enumeration
  if (of.kind == Kind::instance && word == "__class__") return type_of(of);
  if (of.kind == Kind::text) {
    if (word == "parent")
      return made_from(make_text(std::string(parent_path(text(of.ref)))), of, of);
    if (word == "name") return made_from(make_text(std::string(file_name(text(of.ref)))), of, of);
    if (word == "stem") {
      const std::string_view whole = file_name(text(of.ref));
      const std::size_t dot = whole.rfind('.');
      return made_from(make_text(whole.substr(0, dot == 0 ? whole.npos : dot)), of, of);
    }
    if (word == "type") {  // of a device: "cuda" of "cuda:0"
      const std::string whole(text(of.ref));
      return made_from(make_text(whole.substr(0, whole.find(':'))), of, of);
    }
    if (word == "suffix") {
      const std::string ending = extension(text(of.ref));
      return made_from(make_text(ending.empty() ? "" : "." + ending), of, of);
    }
    if (word == "parents") {
      const Value list = make_object(Kind::list);
      std::string_view at = parent_path(text(of.ref));
      for (int i = 0; i < 16; ++i, at = parent_path(at))
        append(list.ref, make_text(std::string(at)));
      return list;
    }
  }
  if (of.kind == Kind::function && word == "__name__") {
    const Function& function = functions_[of.ref];
    return make_text(function.module->tree.text(function.node));
  }
  const bool is_partial = of.kind == Kind::method && methods_[of.ref].name == kNone;
  if (is_partial && word == "func") return methods_[of.ref].function;
  const bool is_parser = of.kind == Kind::instance && command_lines_.count(of.ref) != 0;
  if (is_parser && word == "_action_groups") return groups_of_options(of);
  if (of.has_object()) {
    if (const auto asked = tensor_attribute(of, name)) return *asked;
    if (word == running::kModules && is_network(of)) return modules_of(of);
    if (word == "__dict__") {
      Value same = of;
      if (of.kind == Kind::instance) same.integer = running::kOfInstance;
      same.kind = Kind::dict;
      return same;
    }
    if (of.kind == Kind::instance || of.kind == Kind::dict) {
      const Entry* entry = find(of.ref, name);
      const bool is_method = of.kind == Kind::dict && is_mapping_method(word);
      if (entry != nullptr && !is_method) return entry->value;
    }
    const std::uint32_t type = objects_[of.ref].type;
    const bool is_names =
        of.kind == Kind::dict && (of.integer == running::kOfInstance ||
                                  objects_[of.ref].part == Part::network);  // vars()
    if (type != kNone && !is_names) {
      if (own_method(type, name, 0) != nullptr) return class_attribute(type, name, of, 0);
      const Value* getter = own_method(type, intern("__getattr__"), 0);
      const bool is_inherited = of.kind == Kind::dict && is_mapping_method(word);
      const bool runs = getter != nullptr && getter->kind == Kind::function && !is_inherited;
      if (runs && !word.starts_with("__")) {
        return call_function(getter->ref, &of, {{{kNone, make_text(word), kNoSyntax}}, false});
      }
    }
    const Behaviour how =
        of.kind == Kind::dict ? host_.behaviour("." + std::string(word)) : Behaviour::none;
    if (how == Behaviour::same) return of;
    const bool merges = how == Behaviour::merge_method || how == Behaviour::allow_new;
    if (of.kind == Kind::dict && !is_mapping_method(word) && !merges) return {};
    const TextId maker = objects_[of.ref].made_by;  // `accelerator.num_processes`
    const Behaviour made =
        maker == kNone ? Behaviour::none
                       : host_.behaviour(std::string(text(maker)) + "." + std::string(word));
    for (const Behaviour each :
         {Behaviour::devices, Behaviour::ranks, Behaviour::stepping_ranks}) {
      if (made == each) return devices_of(made);
    }
    if (made == Behaviour::yes || made == Behaviour::no) return make_bool(made == Behaviour::yes);
  }
  return method_value({{}, of, name, {}, receiver, frames_.back().module});
}

/// "torch.nn.SyncBatchNorm": what else a described class has is called by its name.
std::string Interpreter::library_name(std::uint32_t type) const {
  const Type& of = types_[type];
  return of.module->path + "." + std::string(of.module->tree.text(of.node));
}

/// The class of a library that a class of the project derives from; `otherwise`: it has none.
std::uint32_t Interpreter::library_base(std::uint32_t type, std::uint32_t otherwise,
                                        int depth) const {
  constexpr int kDeepest = 8;
  if (types_[type].module->is_library) return type;
  if (depth > kDeepest) return otherwise;
  for (const Value& base : types_[type].bases) {
    if (base.kind != Kind::type || !derives(base.ref, otherwise, 0)) continue;
    return library_base(base.ref, otherwise, depth + 1);
  }
  return otherwise;
}

/// `super().name`: of the bases of the class whose method is running.
Value Interpreter::super_of(TextId name, std::uint32_t of) {
  const Frame& frame = frames_.back();
  if (frame.function == kNone || functions_[frame.function].type == kNone) return {};
  const Function& function = functions_[frame.function];
  const Object& scope = objects_[frame.scope];
  if (scope.entries.empty()) return {};
  const Value self = scope.entries.front().value;  // the first parameter
  const std::uint32_t type = of == kNone ? function.type : of;
  Value outside;
  for (const Value& base : types_[type].bases) {
    if (base.kind == Kind::type) {
      if (const Value* found = own_method(base.ref, name, 0)) {
        return method_value({*found, self, name});
      }
      for (const Value& further : types_[base.ref].bases) {
        if (further.kind == Kind::external && !outside.known()) outside = further;
      }
    }
    if (base.kind == Kind::external && !outside.known()) outside = base;
  }
  // The constructor of a base outside the project makes what a call of that base makes.
  if (outside.known() && text(name) == "__init__") return outside;
  const std::string_view word = text(name);
  const bool is_item = word == "__setitem__" || word == "__getitem__";
  const bool is_of_dict = self.kind == Kind::dict && outside.known() && is_dict(type, 0);
  if (is_of_dict && (is_item || is_mapping_method(word))) {
    const Value method = external("dict." + std::string(word));
    return method_value({method, {}, kNone, {{kNone, self, kNoSyntax}}});
  }
  // What every object has.
  if (!outside.known() && text(name) == "__setattr__")
    return method_value({external("object.__setattr__"), {}, kNone, {{kNone, self, kNoSyntax}}});
  return {};
}

bool Interpreter::has_base(std::uint32_t type, Behaviour how, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return false;
  for (const Value& base : types_[type].bases) {
    if (base.kind == Kind::external && host_.behaviour(text(base.ref)) == how) return true;
    if (base.kind == Kind::type && has_base(base.ref, how, depth + 1)) return true;
  }
  return false;
}

/// A class that extends dict, or what acts as one.
bool Interpreter::is_dict(std::uint32_t type, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return false;
  for (const Value& base : types_[type].bases) {
    const bool is_outside = base.kind == Kind::external;
    if (is_outside &&
        (text(base.ref) == "dict" || is_mapping_class(host_.behaviour(text(base.ref))))) {
      return true;
    }
    if (base.kind == Kind::type && is_dict(base.ref, depth + 1)) return true;
  }
  return false;
}

Behaviour Interpreter::fields_of(std::uint32_t type, int depth) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest || types_[type].fields != Behaviour::none) return types_[type].fields;
  for (const Value& base : types_[type].bases) {
    if (base.kind != Kind::type) continue;
    const Behaviour how = fields_of(base.ref, depth + 1);
    if (how != Behaviour::none) return how;
  }
  return Behaviour::none;
}

}  // namespace gpulint::python
