// Networks are built: the constructors of their classes are run, down to the layers of a library
// that Host::described writes down in Python. What they hold then are its parameters.
//
// Rejected: a table of layers with a formula each. Arguments have defaults, layers are made of
// others, and projects derive classes from both; all of that is Python already.

#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {

/// What a library's description has under a dotted name; unknown where it has nothing.
const Value& Interpreter::described(TextId name) {
  const auto known = described_.find(name);
  if (known != described_.end()) return known->second;
  Value found;
  const std::string_view dotted = text(name);
  const std::size_t dot = dotted.rfind('.');
  if (dot != std::string_view::npos) {
    const TextId last = intern(dotted.substr(dot + 1));
    for (const Module* module : host_.described(dotted.substr(0, dot))) {
      if (module == nullptr || found.known()) continue;
      ++building_;
      const ObjectId scope = module_scope(*module);
      --building_;
      const Entry* entry = find(scope, last);
      const bool is_own =
          entry != nullptr &&
          (entry->value.kind == Kind::function || entry->value.kind == Kind::type ||
           entry->value.kind == Kind::real || entry->value.kind == Kind::dict);
      if (is_own) found = entry->value;
    }
  }
  return described_[name] = found;
}

bool Interpreter::builds_networks(std::uint32_t type) {
  std::optional<bool>& known = types_[type].is_network;
  if (!known) known = own_method(type, intern("__network__"), 0) != nullptr;
  return *types_[type].is_network;
}

Value Interpreter::construct_network(std::uint32_t type, Arguments arguments, SyntaxId at) {
  Value self = make_object(Kind::instance);
  objects_[self.ref].type = type;
  objects_[self.ref].part = Part::network;
  if (build_stopped_) {
    open_network(self.ref, here(at));
    return self;
  }
  const bool is_library = types_[type].module->is_library;
  // What wraps a network counts inside another one too, where that says so.
  const bool wraps = is_library && !frames_.back().module->is_library &&
                     own_method(type, intern("__wraps__"), 0) != nullptr;
  if ((building_ == 0 || wraps) && is_library && at != kNoSyntax)
    report(library_name(type), arguments, at, {});
  // A library's registry may build a network of the project.
  const bool is_outermost = building_ == 0 || (constructing_ == 0 && !is_library);
  const bool is_silent = own_method(type, intern("__reports__"), 0) == nullptr;
  const int loops = std::exchange(loops_, 0);
  ++building_;
  ++constructing_;
  ++detached_;  // what it tries its layers with is no step
  silent_ += is_silent ? 1 : 0;
  const Value* constructor = own_method(type, intern("__init__"), 0);
  Value left;
  if (constructor != nullptr && constructor->kind == Kind::function)
    left = call_function(constructor->ref, &self, std::move(arguments));
  silent_ -= is_silent ? 1 : 0;
  --detached_;
  --constructing_;
  --building_;
  loops_ = loops;
  const bool is_whole = left.kind == Kind::none && !build_stopped_ && !truncated_;
  if (!is_whole) open_network(self.ref, left.known() ? here(at) : left.integer);
  for (const Value& base : types_[type].bases) {
    const bool is_foreign = !base.known() || (base.kind == Kind::external &&
                                              host_.behaviour(text(base.ref)) != Behaviour::plain);
    const Type& of = types_[type];
    if (is_foreign && !is_library) open_network(self.ref, cause_at(of.module->file, of.node));
    if (is_foreign) objects_[self.ref].open = true;
  }
  if (is_outermost) networks_.push_back({self, at == kNoSyntax ? SourceSpan{} : span(at), sides_});
  return self;
}

std::string_view Interpreter::class_name(const Value& instance) const {
  const std::uint32_t type = objects_[instance.ref].type;
  if (type == kNone) return {};
  return types_[type].module->tree.text(types_[type].node);
}

bool Interpreter::has_method(const Value& instance, std::string_view name) {
  const std::uint32_t type = objects_[instance.ref].type;
  return type != kNone && own_method(type, intern(name), 0) != nullptr;
}

SourceSpan Interpreter::class_place(const Value& instance) const {
  const std::uint32_t type = objects_[instance.ref].type;
  if (type == kNone) return {};
  const Type& of = types_[type];
  const SyntaxNode& node = of.module->tree.node(of.node);
  const std::string_view source = of.module->tree.source();
  const std::size_t end = std::min(source.find('\n', node.begin), source.size());
  return {of.module->file, node.begin, static_cast<std::uint32_t>(end)};
}

std::vector<Value> Interpreter::known_items(const Value& value, bool& all) const {
  const bool has_items = value.kind == Kind::list || value.kind == Kind::tuple ||
                         value.kind == Kind::set ||
                         (value.kind == Kind::instance && objects_[value.ref].is_sequence);
  all = has_items && !objects_[value.ref].open;
  return has_items ? objects_[value.ref].items : std::vector<Value>{};
}

/// One part of a network, with all below it.
void Interpreter::walk(const Value& value, const std::string& path, NetworkWalk& into, int depth) {
  constexpr int kDeepest = 64;
  const auto miss = [&](std::int64_t cause) {
    if (!into.found.unknown.empty()) return;
    into.found.unknown = path.empty() ? "?" : path;
    into.found.unknown_cause = cause;
  };
  const bool is_attribute_of_unknown =
      value.kind == Kind::method && !methods_[value.ref].function.known();
  if (depth > kDeepest) return miss(kNoCause);
  if (!value.known() || is_attribute_of_unknown) {  // mostly a number or a word
    if (!into.found.value.empty()) return;
    into.found.value = path.empty() ? "?" : path;
    into.found.value_cause = cause_of(value);
    return;
  }
  if (value.kind != Kind::instance) return;
  const Object& object = objects_[value.ref];
  if (into.met.size() < objects_.size()) into.met.resize(objects_.size());
  if (into.met[value.ref]) return;
  into.met[value.ref] = true;
  if (object.part == Part::tensor) return;
  if (object.part == Part::parameter) {
    if (object.elements < 0) miss(object.cause);
    into.found.objects.push_back(value.ref);
    into.found.names.push_back(path);
    return;
  }
  if (object.part == Part::none) {
    // Of a library nobody describes, or of a class that extends one: it may hold anything. An
    // optimizer holds what it is given.
    const bool is_outside = object.open && object.made_by != kNone;
    if (is_outside && !host_.makes_optimizer(text(object.made_by)))
      miss(object.cause);
    return;
  }
  into.networks.push_back(value);
  into.paths.push_back(path);
  if (object.open) miss(object.cause);
  const std::string before = path.empty() ? path : path + ".";
  for (const Entry& entry : object.entries) {
    const std::string name = before + std::string(text(entry.key));
    walk(entry.value, name, into, depth + 1);
  }
  for (std::size_t i = 0; i < object.items.size(); ++i)
    walk(object.items[i], before + std::to_string(i), into, depth + 1);
}

NetworkParameters Interpreter::parameters_of(const Value& network) {
  NetworkWalk into;
  walk(network, {}, into, 0);
  for (std::string* part : {&into.found.unknown, &into.found.value}) {
    if (!part->empty()) *part = std::string(class_name(network)) + "." + *part;
  }
  return std::move(into.found);
}

std::vector<Value> Interpreter::networks_in(const Value& network) {
  NetworkWalk into;
  walk(network, {}, into, 0);
  return std::move(into.networks);
}

/// What `parameters()`, `named_modules()` and their like give.
std::optional<Value> Interpreter::listing(std::string_view name, const Value& network) {
  const bool of_parameters = name == "__parameters__" || name == "__named_parameters__";
  const bool of_networks = name == "__modules__" || name == "__named_modules__";
  const bool of_children = name == "__children__" || name == "__named_children__";
  if (!of_parameters && !of_networks && !of_children) return std::nullopt;
  const bool is_named = name.starts_with("__named");
  const Value made = make_object(Kind::list);
  if (!is_network(network)) {
    objects_[made.ref].open = true;
    return made;
  }
  const auto add = [&](const std::string& path, const Value& value) {
    Value item = value;
    if (is_named) {
      item = make_object(Kind::tuple);
      append(item.ref, make_text(path));
      append(item.ref, value);
    }
    append(made.ref, item);
  };
  if (of_children) {
    objects_[made.ref].open = objects_[network.ref].open;
    const Object holder = objects_[network.ref];
    for (const Entry& entry : holder.entries) {
      if (is_network(entry.value)) add(std::string(text(entry.key)), entry.value);
      if (!entry.value.known()) objects_[made.ref].open = true;
    }
    for (std::size_t i = 0; i < holder.items.size(); ++i) {
      if (is_network(holder.items[i])) add(std::to_string(i), holder.items[i]);
      if (!holder.items[i].known()) objects_[made.ref].open = true;
    }
    return made;
  }
  NetworkWalk into;
  walk(network, {}, into, 0);
  if (of_parameters) {
    for (std::size_t i = 0; i < into.found.objects.size(); ++i) {
      Value each;
      each.kind = Kind::instance;
      each.origin = Origin::code;
      each.ref = into.found.objects[i];
      add(into.found.names[i], each);
    }
  } else {
    for (std::size_t i = 0; i < into.networks.size(); ++i) add(into.paths[i], into.networks[i]);
  }
  if (!into.found.unknown.empty()) {
    objects_[made.ref].open = true;
    objects_[made.ref].cause = into.found.unknown_cause;
  }
  return made;
}

/// A function of a library that is described: its result, beside what the call says.
std::optional<Value> Interpreter::described_call(TextId name, const Arguments& arguments,
                                                 SyntaxId at) {
  const Value function = described(name);
  if (function.kind != Kind::function) return std::nullopt;
  return call_described({function, {}, kNone}, arguments, at);
}

/// A function of a description, or a method of one of its classes.
std::optional<Value> Interpreter::call_described(const Method& method, const Arguments& given,
                                                 SyntaxId at) {
  const std::uint32_t function = method.function.ref;
  const auto is_part = [this](const Value& value) {
    return is_network(value) || is_followed(value);
  };
  const bool takes_part =
      std::any_of(given.list.begin(), given.list.end(), [&](const Argument& each) {
        bool all = false;
        const std::vector<Value> items = known_items(each.value, all);  // `torch.cat([a, b])`
        return is_part(each.value) || std::any_of(items.begin(), items.end(), is_part);
      });
  const bool is_alone = building_ == 0 && !takes_part;
  if (is_alone && !makes_networks(*functions_[function].module)) return std::nullopt;
  building_ += is_alone ? 1 : 0;  // its layers are no networks of their own
  ++library_calls_;
  const Value made = call_function(function, method.self.known() ? &method.self : nullptr, given);
  --library_calls_;
  building_ -= is_alone ? 1 : 0;
  if (is_alone && is_network(made))
    networks_.push_back({made, at == kNoSyntax ? SourceSpan{} : span(at), sides_});
  return made;
}

/// A description may say that its functions make networks: a call of one is followed wherever it
/// is.
bool Interpreter::makes_networks(const Module& module) {
  return find(module_scope(module), intern("__makes_networks__")) != nullptr;
}

/// The parameter that takes all other arguments by name; kNone: there is none.
TextId Interpreter::rest_name(const Frame& frame) {
  if (frame.function == kNone) return kNone;
  const SyntaxTree& code = functions_[frame.function].module->tree;
  const SyntaxId parameters = code.node(functions_[frame.function].node).first;
  for (SyntaxId at = code.node(parameters).first; at != kNoSyntax; at = code.node(at).next) {
    if (static_cast<Parameter>(code.node(at).op) == Parameter::keyword_rest)
      return intern(code.text(at));
  }
  return kNone;
}

/// Arguments of the function that called the library's: `self.hparams` of save_hyperparameters.
Value Interpreter::caller_arguments() {
  const Value made = make_object(Kind::dict);
  if (frames_.size() < 2) return made;
  const Frame& caller = frames_[frames_.size() - 2];
  const std::vector<Entry> locals = objects_[caller.scope].entries;
  const TextId rest = rest_name(caller);  // `**kwargs` are arguments of their own
  for (std::size_t i = 1; i < locals.size(); ++i) {
    const Value& value = locals[i].value;
    if (locals[i].key != rest || value.kind != Kind::dict) {
      set(made.ref, locals[i].key, value);
      continue;
    }
    objects_[made.ref].open = objects_[made.ref].open || objects_[value.ref].open;
    const std::vector<Entry> named = objects_[value.ref].entries;
    for (const Entry& entry : named) set(made.ref, entry.key, entry.value);
  }
  return made;
}

/// `self._modules`: the parts of a network that are networks, by their names.
Value Interpreter::modules_of(const Value& network) {
  const Value made = make_object(Kind::dict);
  const Object holder = objects_[network.ref];
  objects_[made.ref].open = holder.open;
  for (const Entry& entry : holder.entries) {
    if (is_network(entry.value)) set(made.ref, entry.key, entry.value);
    if (!entry.value.known()) objects_[made.ref].open = true;
  }
  for (std::size_t i = 0; i < holder.items.size(); ++i)
    set(made.ref, intern(std::to_string(i)), holder.items[i]);
  return made;
}

bool Interpreter::is_network(const Value& value) const {
  return value.kind == Kind::instance && objects_[value.ref].part == Part::network;
}

}  // namespace gpulint::python
