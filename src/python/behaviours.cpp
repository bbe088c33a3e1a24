// Calls of what lies outside the project, by what the host says they do.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint::python {
namespace {

/// `.layers` of the package `model` is `model.layers`; "" where nobody says of which package.
std::string absolute_module(std::string_view name, std::string_view package) {
  const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
  if (dots == 0) return std::string(name);
  for (std::size_t up = 1; up < dots; ++up) {
    const std::size_t dot = package.rfind('.');
    package = package.substr(0, dot == package.npos ? 0 : dot);
  }
  if (package.empty()) return {};
  return std::string(package) + "." + std::string(name.substr(dots));
}

/// "transformers.AutoTokenizer.from_pretrained": made by a class.
bool names_class(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const char initial = dot + 1 < name.size() ? name[dot + 1] : 'a';
    if (initial >= 'A' && initial <= 'Z') return true;
  }
  return false;
}

}  // namespace

Value Interpreter::call_external(const Value& callee, Arguments& arguments, SyntaxId at) {
  const std::string_view name = text(callee.ref);
  if (auto known = primitive(name, arguments)) return *known;
  if (auto known = own_length(name, arguments)) return *known;
  if (auto known = builtin(name, arguments)) return *known;
  if (auto known = mathematics(name, arguments)) return *known;
  if (auto known = joined_items(name, arguments)) return *known;
  if (auto known = regular_expression(name, arguments)) return *known;
  const Behaviour how = host_.behaviour(name);
  const bool acts = how != Behaviour::none && how != Behaviour::plain &&
                    how != Behaviour::loads_network;
  if (acts) return behave(how, callee, arguments, at);
  chosen_ = callee.origin == Origin::given ? callee : Value{};
  report(name, arguments, at, {});
  chosen_ = {};
  if (auto known = described_call(callee.ref, arguments, at)) return *known;
  lose(name, arguments);
  const auto data = how == Behaviour::plain ? data_from(name, arguments) : std::nullopt;
  if (data) return *data;
  if (how == Behaviour::plain && (building_ > 0 || names_class(name)))
    return make_tensor(Part::tensor);
  const std::size_t dot = name.rfind('.');
  const char initial = name[dot == std::string_view::npos ? 0 : dot + 1];
  if (initial < 'A' || initial > 'Z') return {};
  Value made = make_object(Kind::instance);
  made.from = at == kNoSyntax ? SourceSpan{} : span(at);
  objects_[made.ref].cause = here(at);
  objects_[made.ref].made_by = callee.ref;
  objects_[made.ref].open = true;
  for (const Argument& each : arguments.list) {
    if (each.name != kNone) set(made.ref, each.name, each.value, keyword_span(each));
  }
  return made;
}

/// `len(words)` of a class that says how long it is.
std::optional<Value> Interpreter::own_length(std::string_view name, const Arguments& arguments) {
  const Value of = argument_value(arguments, 0, "");
  if (name != "len" || of.kind != Kind::instance || objects_[of.ref].type == kNone)
    return std::nullopt;
  const Value* length = own_method(objects_[of.ref].type, intern("__len__"), 0);
  if (length == nullptr || length->kind != Kind::function) return std::nullopt;
  return call_function(length->ref, &of, {});
}

Value Interpreter::behave(Behaviour how, const Value& callee, Arguments& arguments, SyntaxId at) {
  const Value first = arguments.list.empty() ? Value{} : arguments.list.front().value;
  switch (how) {
    case Behaviour::load:
    case Behaviour::load_attributes: {
      if (at != kNoSyntax) asked_at_ = span(at);
      const bool is_alone = arguments.list.size() == 1 && !arguments.open && at != kNoSyntax;
      if (is_alone && trials_.empty() && is_certain())
        host_.loads_plainly(text(callee.ref), *frames_.back().module, at);
      const Value made = host_.load(*this, first, text(callee.ref)).value_or(Value{});
      if (how == Behaviour::load_attributes) mark_attributes(made);
      return made;
    }
    case Behaviour::same:
      return first;
    case Behaviour::cast:
      return argument_value(arguments, 1, "val");
    case Behaviour::copy:
      return deep_copy(first, 0);
    case Behaviour::project_root:
      return make_text(".");
    case Behaviour::yes:
    case Behaviour::no:
      return make_bool(how == Behaviour::yes);
    case Behaviour::mapping:
    case Behaviour::strict_mapping:
    case Behaviour::lenient_mapping: {
      const bool is_of_strict = how == Behaviour::strict_mapping;
      const bool is_strict = is_of_strict && !arguments.open &&
                             argument(arguments, kByName, "new_allowed", *this) == nullptr;
      if (is_of_strict)
        std::erase_if(arguments.list, [&](const Argument& each) {
          return each.name == intern("new_allowed");
        });
      const Value made = mapping_of(arguments);
      if (is_mapping_class(how)) mark_attributes(made);
      objects_[made.ref].is_strict = is_strict;
      if (how == Behaviour::lenient_mapping) mark(made, &Object::is_shared, 0);
      return made;
    }
    case Behaviour::merge: {
      Value made = first;
      for (std::size_t i = 1; i < arguments.list.size(); ++i)
        made = merge_into(made, arguments.list[i].value, 0);
      mark(made, &Object::is_shared, 0);  // one of them is often the command line
      return made;
    }
    case Behaviour::structure:
    case Behaviour::load_class:
      return filled_class(how, callee, arguments, at);
    case Behaviour::parser:
      return made_parser(text(callee.ref), arguments);
    case Behaviour::usage_text:
      return usage_options(arguments);
    case Behaviour::class_parser:
      return class_parser(arguments);
    case Behaviour::class_from_config: {
      const Value wanted = argument_value(arguments, 0, "config_class");
      const bool is_called = wanted.kind == Kind::function || wanted.kind == Kind::method;
      return is_called ? run_command(wanted, at) : class_of_config(wanted, at);
    }
    case Behaviour::spawn:
      return spawn(arguments, at, text(callee.ref));
    case Behaviour::submit:
      return submit(arguments, at, text(callee.ref));
    case Behaviour::one_of:
      return only_one(argument_value(arguments, 0, "categories"));
    case Behaviour::trial:
      return trial(arguments, at, text(callee.ref));
    case Behaviour::command:
      report(text(callee.ref), arguments, at, {});
      return run_command(argument_value(arguments, 0, "component"), at);
    case Behaviour::process:
      return process(arguments, at);
    case Behaviour::import_named: {
      reach_.imports_unknown = reach_.imports_unknown || first.kind != Kind::text;
      if (first.kind != Kind::text) return {};
      if (text(first.ref) == running::kOwnName) {  // importlib.import_module(__name__)
        return Value{.kind = Kind::module, .ref = frames_.back().module_scope};
      }
      const Value package = argument_value(arguments, 1, "package");
      const std::string name = absolute_module(
          text(first.ref), package.kind == Kind::text ? text(package.ref) : std::string_view());
      if (name.empty()) return {};
      const Value imported = import_module(name, 0);
      return chosen_config(first, imported).value_or(imported);
    }
    case Behaviour::instantiate:
      return instantiate(arguments, at);
    case Behaviour::enumeration:
      return {};
    case Behaviour::locate:
      return first.kind == Kind::text ? dotted_target(std::string(text(first.ref))) : Value{};
    case Behaviour::partial:
      return partial_of(arguments);
    case Behaviour::schemas:
      has_schemas_ = true;
      break;
    case Behaviour::devices:
    case Behaviour::ranks:
    case Behaviour::stepping_ranks:
      return devices_of(how);
    case Behaviour::define_option:
      define_option(text(callee.ref), arguments);
      return {};
    case Behaviour::define_config: {
      const Value name = argument_value(arguments, 0, "name");
      if (name.kind != Kind::text) return {};
      if (at != kNoSyntax) asked_at_ = span(at);
      const Value made = host_.load(*this, {}, text(callee.ref)).value_or(Value{});
      mark_attributes(made);
      if (!options_.known()) options_ = made_parser(text(callee.ref), {});
      set(options_.ref, name.ref, made);
      return {};
    }
    case Behaviour::adds_options:
      if (first.kind == Kind::instance) {
        const auto group = option_groups_.find(first.ref);
        const ObjectId parser = group == option_groups_.end() ? first.ref : group->second;
        const auto known = command_lines_.find(parser);
        if (known != command_lines_.end()) known->second.is_open = objects_[parser].open = true;
      }
      return first;
    case Behaviour::initialize:
      composed_from_ = arguments.list;
      break;
    case Behaviour::compose: {
      Arguments all = arguments;
      all.list.insert(all.list.end(), composed_from_.begin(), composed_from_.end());
      all.list.push_back({intern(running::kComposes), make_bool(true), kNoSyntax});
      if (at != kNoSyntax) asked_at_ = span(at);
      const Value made = host_.entry_config(*this, all.list).value_or(Value{});
      mark_attributes(made);
      return made;
    }
    case Behaviour::import_file:
      return import_file(arguments, text(callee.ref));
    case Behaviour::keep_sweep:
      report(text(callee.ref), arguments, at, {});
      kept_config_ = swept(argument_value(arguments, 0, "sweep"), 0);
      return {};
    case Behaviour::keep_config: {
      // A run of a sweep is given the sweep's values, and states none itself.
      const Argument* given = argument(arguments, kByName, "config", *this);
      if (given != nullptr || arguments.open || kept_config_.kind != Kind::dict)
        kept_config_ = given != nullptr ? given->value : Value{};
      if (given == nullptr && !arguments.open && !kept_config_.known())
        kept_config_ = host_.default_config(*this, text(callee.ref)).value_or(Value{});
      if (kept_config_.kind == Kind::instance) kept_config_.kind = Kind::dict;  // parsed options
      report(text(callee.ref), arguments, at, {});
      const Value made = make_object(Kind::instance);
      objects_[made.ref].open = true;
      set(made.ref, intern("config"), kept_config_);
      return made;
    }
    case Behaviour::variable:
      if (const Value variables = environment(); variables.known())
        return dict_method(variables, "get", arguments).value_or(Value{});
      report(text(callee.ref), arguments, at, {});
      if (const auto own = own_default(argument_value(arguments, 0, "key"), arguments)) return *own;
      return launched_as(argument_value(arguments, 0, "key"));
    case Behaviour::environment:
    case Behaviour::kept_config:
    case Behaviour::none:
    case Behaviour::options:
    case Behaviour::merge_method:
    case Behaviour::allow_new:
    case Behaviour::fields:
    case Behaviour::coerced_fields:
    case Behaviour::entry:
    case Behaviour::declares_command:
    case Behaviour::declares_group:
    case Behaviour::declares_option:
    case Behaviour::gives_context:
    case Behaviour::fills_class:
    case Behaviour::loads_network:
    case Behaviour::opaque:
    case Behaviour::tried:
    case Behaviour::plain:
    case Behaviour::something:
      break;
  }
  report(text(callee.ref), arguments, at, {});
  lose(text(callee.ref), arguments);
  return {};
}

/// `ConfigDict(a=1, ...)`, `EasyDict({...})`.
Value Interpreter::mapping_of(const Arguments& arguments) {
  Value made = make_object(Kind::dict);
  const TextId whole = intern("initial_dictionary");  // of an ml_collections.ConfigDict
  for (const Argument& each : arguments.list) {
    const bool is_key = each.name != kNone && each.name != whole;
    if (is_key) set(made.ref, each.name, each.value, each.value.from);
    if (!is_key && each.value.kind == Kind::dict) {
      objects_[made.ref] = objects_[each.value.ref];
      if (arguments.list.size() == 1) {
        made.origin = each.value.origin;
        made.from = each.value.from;
      }
    } else if (!is_key && !set_pairs(made, each.value)) {
      objects_[made.ref].open = true;
    }
  }
  objects_[made.ref].open = objects_[made.ref].open || arguments.open;
  return made;
}

/// Sets `OrderedDict([("a", 1), …])`; false when `pairs` is not a list of pairs that are known.
bool Interpreter::set_pairs(const Value& mapping, const Value& pairs) {
  bool all = false;
  const std::vector<Value> items = known_items(pairs, all);
  if (!all) return false;
  for (const Value& item : items) {
    bool complete = false;
    const std::vector<Value> pair = known_items(item, complete);
    if (!complete || pair.size() != 2 || !set_item(mapping, pair.front(), pair.back(), {}))
      return false;
  }
  return true;
}

/// `partial(f, 1, a=2)`: a function with some of its arguments.
Value Interpreter::partial_of(const Arguments& arguments) {
  Method method;
  if (!arguments.list.empty()) {
    method.function = arguments.list.front().value;
    method.given.assign(arguments.list.begin() + 1, arguments.list.end());
    // It may be called in another file than the one these are written in.
    for (Argument& each : method.given) each.node = kNoSyntax;
  }
  return method_value(std::move(method));
}

/// `spec_from_file_location(name, path)`, `module_from_spec(spec)`: the module itself.
Value Interpreter::import_file(const Arguments& arguments, std::string_view name) {
  const Value first = argument_value(arguments, 0, "spec");
  if (first.kind == Kind::module || first.kind == Kind::dict) return first;
  const Value path = argument_value(arguments, 1, "location");
  const Module* module =
      path.kind == Kind::text ? host_.module(std::string(text(path.ref))) : nullptr;
  if (module == nullptr) {
    reach_.imports_unknown = true;
    return host_.load(*this, path, name).value_or(Value{});
  }
  return Value{.kind = Kind::module, .ref = module_scope(*module)};
}

/// "package.module.Class.from_pretrained": of the longest module that there is.
Value Interpreter::dotted_target(std::string_view name) {
  for (std::size_t dot = name.rfind('.'); dot != name.npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    if (place_of(name.substr(0, dot), 0).kind != ImportedPlace::Kind::file) continue;
    Value found = import_module(name.substr(0, dot), 0);
    bool is_first = true;
    for (const std::string_view part : split(name.substr(dot + 1), '.')) {
      const TextId word = intern(part);
      found = is_first ? from_module(found, {}, word) : attribute(found, word, kNoSyntax);
      is_first = false;
    }
    return found;
  }
  return external(name);
}

}  // namespace gpulint::python
