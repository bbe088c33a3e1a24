#include "python/interpreter.h"

#include <algorithm>
#include <utility>

namespace gpulint::python {

const Argument* Interpreter::argument(const Arguments& arguments, std::size_t position,
                                      std::string_view name, const Interpreter& in) {
  std::size_t seen = 0;
  for (const Argument& each : arguments.list) {
    if (each.name == kNone ? seen++ == position : in.text(each.name) == name) return &each;
  }
  return nullptr;
}

Value Interpreter::argument_value(const Arguments& arguments, std::size_t position,
                                  std::string_view name) const {
  const Argument* found = argument(arguments, position, name, *this);
  return found == nullptr ? Value{} : found->value;
}

void Interpreter::add_unpacked(Arguments& into, const Value& value) {
  const bool by_name = value.kind == Kind::dict || value.kind == Kind::instance;
  if (!by_name) {
    into.open = true;
    return;
  }
  into.open = into.open || objects_[value.ref].open;
  for (const Entry& entry : objects_[value.ref].entries) {
    into.list.push_back({entry.key, entry.value, kNoSyntax});
  }
}

Interpreter::Arguments Interpreter::arguments(SyntaxId first) {
  Arguments made;
  for (SyntaxId at = first; at != kNoSyntax; at = node(at).next) {
    switch (node(at).kind) {
      case Syntax::keyword:
        made.list.push_back({intern(tree().text(at)), eval(node(at).first), node(at).first});
        break;
      case Syntax::double_star:
        add_unpacked(made, eval(node(at).first));
        break;
      case Syntax::star: {
        const auto items = items_of(eval(node(at).first));
        if (!items) made.open = true;
        if (items) {
          for (const Value& item : *items) made.list.push_back({kNone, item, kNoSyntax});
        }
        break;
      }
      default:
        made.list.push_back({kNone, eval(at), at});
        break;
    }
  }
  return made;
}

Value Interpreter::call_node(SyntaxId id) {
  const SyntaxId function = node(id).first;
  Value callee;
  const bool is_super = node(function).kind == Syntax::attribute &&
                        node(node(function).first).kind == Syntax::call &&
                        source(node(node(function).first).first) == "super";
  if (is_super) {
    callee = super_of(intern(tree().text(function)));
  } else {
    callee = eval(function);
  }
  // What is worked out inside the arguments is assigned to nothing.
  targets_.push_back({});
  Arguments taken = arguments(node(function).next);
  targets_.pop_back();
  if (is_super && callee.kind == Kind::external) {
    const std::vector<Entry>& locals = objects_[frames_.back().scope].entries;
    const Value self = locals.empty() ? Value{} : locals.front().value;
    if (self.kind == Kind::dict) return dict_method(self, "update", taken).value_or(Value{});
    report(text(callee.ref), taken, id, {});
    return {};
  }
  Value made = call(callee, std::move(taken), id);
  if (!made.from.known() && made.origin == Origin::code && made.has_object()) made.from = span(id);
  return made;
}

Value Interpreter::call(const Value& callee, Arguments arguments, SyntaxId at) {
  switch (callee.kind) {
    case Kind::function:
      return call_function(callee.ref, nullptr, std::move(arguments));
    case Kind::type:
      return construct(callee.ref, std::move(arguments));
    case Kind::external:
      return call_external(callee, arguments, at);
    case Kind::method:
      return call_method(methods_[callee.ref], arguments, at);
    case Kind::instance: {
      const std::uint32_t type = objects_[callee.ref].type;
      const Value* caller = type == kNone ? nullptr : own_method(type, intern("__call__"), 0);
      if (caller == nullptr || caller->kind != Kind::function) return {};
      return call_function(caller->ref, &callee, std::move(arguments));
    }
    default:
      return {};
  }
}

bool Interpreter::bind(const Function& function, SyntaxId parameters, ObjectId scope,
                       const Value* self, Arguments& arguments) {
  const SyntaxTree& code = function.module->tree;
  std::vector<bool> used(arguments.list.size());
  std::size_t next = 0;
  bool first = self != nullptr;
  for (SyntaxId at = code.node(parameters).first; at != kNoSyntax; at = code.node(at).next) {
    const TextId name = intern(code.text(at));
    const auto how = static_cast<Parameter>(code.node(at).op);
    Value value;
    bool found = false;
    if (first && how == Parameter::positional) {
      value = *self;
      found = true;
      first = false;
    } else if (how == Parameter::rest || how == Parameter::keyword_rest) {
      value = make_object(how == Parameter::rest ? Kind::tuple : Kind::dict);
      objects_[value.ref].open = arguments.open;
      for (std::size_t i = 0; i < arguments.list.size(); ++i) {
        const Argument& each = arguments.list[i];
        if (used[i] || (each.name == kNone) != (how == Parameter::rest)) continue;
        used[i] = true;
        if (how == Parameter::rest) append(value.ref, each.value);
        if (how == Parameter::keyword_rest) set(value.ref, each.name, each.value, each.value.from);
      }
      found = true;
    } else {
      while (next < arguments.list.size() && arguments.list[next].name != kNone) ++next;
      const bool by_position = how == Parameter::positional && next < arguments.list.size();
      std::size_t index = next;
      if (by_position) {
        ++next;
      } else {
        const auto named = std::find_if(arguments.list.begin(), arguments.list.end(),
                                        [&](const Argument& each) { return each.name == name; });
        index = static_cast<std::size_t>(named - arguments.list.begin());
      }
      if (index < arguments.list.size()) {
        value = arguments.list[index].value;
        used[index] = true;
        found = true;
      }
    }
    const SyntaxId otherwise = code.node(at).first;
    if (!found && otherwise != kNoSyntax && !arguments.open) value = eval(otherwise);
    objects_[scope].entries.push_back({name, {}, value});
  }
  return true;
}

Value Interpreter::call_function(std::uint32_t index, const Value* self, Arguments arguments) {
  const Function function = functions_[index];
  constexpr int kMostRecursion = 6;
  const auto running = std::count_if(frames_.begin(), frames_.end(), [&](const Frame& frame) {
    return frame.function != kNone && functions_[frame.function].node == function.node &&
           functions_[frame.function].module == function.module;
  });
  const bool too_deep = frames_.size() > static_cast<std::size_t>(limits_.max_depth);
  if (too_deep || running > kMostRecursion || function.generates || !step()) return {};
  const SyntaxTree& code = function.module->tree;
  const bool is_lambda = code.node(function.node).kind == Syntax::lambda;
  Frame frame;
  frame.module = function.module;
  frame.scope = new_object();
  frame.function = index;
  frame.module_scope = modules_.count(function.module) != 0 ? modules_.at(function.module) : 0;
  objects_[frame.scope].parent = function.scope;
  if (function.takes_config && arguments.list.empty()) {
    if (auto config = host_.entry_config(*this, function.entry)) {
      arguments.list.push_back({kNone, *config, kNoSyntax});
    } else {
      arguments.open = true;
    }
  }
  frames_.push_back(std::move(frame));
  const ObjectId scope = frames_.back().scope;
  bind(function, code.node(function.node).first, scope, self, arguments);
  const std::string_view target = targets_.empty() ? std::string_view{} : targets_.back();
  targets_.push_back(target);
  const int nesting = nesting_;
  nesting_ = nesting + 4;
  const SyntaxId body = code.child(function.node, 1);
  Value result{.kind = Kind::none};
  if (is_lambda) {
    result = eval(body);
  } else {
    const Flow flow = block(body);
    std::vector<Value>& returns = frames_.back().returns;
    if (flow != Flow::returned && !returns.empty()) returns.push_back(result);
    if (!returns.empty()) result = returns.front();
    for (std::size_t i = 1; i < returns.size(); ++i) result = joined(result, returns[i]);
    if (truncated_) result = {};
  }
  nesting_ = nesting;
  targets_.pop_back();
  frames_.pop_back();
  return result;
}

Value Interpreter::call_method(const Method& bound, Arguments& arguments, SyntaxId at) {
  const Method method = bound;
  Arguments all{method.given, arguments.open};
  all.list.insert(all.list.end(), arguments.list.begin(), arguments.list.end());
  if (method.name == kNone) return call(method.function, std::move(all), at);  // partial
  if (method.function.kind == Kind::function) {
    return call_function(method.function.ref, &method.self, std::move(all));
  }
  if (method.function.known()) return call(method.function, std::move(all), at);
  const std::string_view name = text(method.name);
  if (auto known = method_of(method.self, name, all)) return *known;
  const bool made_outside =
      method.self.kind == Kind::instance && objects_[method.self.ref].made_by != kNone;
  std::string_view receiver;
  if (method.module == frames_.back().module) receiver = source(method.receiver);
  const std::string owner =
      made_outside ? std::string(text(objects_[method.self.ref].made_by)) : std::string();
  report(text(intern(owner + "." + std::string(name))), all, at, receiver);
  return {};
}

void Interpreter::report(std::string_view name, const Arguments& arguments, SyntaxId at,
                         std::string_view receiver) {
  Call call;
  call.name = name;
  call.target = targets_.size() < 1 ? std::string_view{} : targets_.back();
  call.receiver = receiver;
  call.arguments = arguments.list;
  call.open = arguments.open;
  call.certain = undecided_ == 0;
  call.in_loop = loops_ > 0;
  call.guards = guards_;
  call.module = frames_.back().module;
  call.node = at;
  host_.called(*this, call);
}

Value Interpreter::call_external(const Value& callee, Arguments& arguments, SyntaxId at) {
  const std::string_view name = text(callee.ref);
  if (auto known = builtin(name, arguments)) return *known;
  const Behaviour how = host_.behaviour(name);
  if (how != Behaviour::none) return behave(how, callee, arguments, at);
  report(name, arguments, at, {});
  const std::size_t dot = name.rfind('.');
  const char initial = name[dot == std::string_view::npos ? 0 : dot + 1];
  if (initial < 'A' || initial > 'Z') return {};
  Value made = make_object(Kind::instance);
  made.from = at == kNoSyntax ? SourceSpan{} : span(at);
  objects_[made.ref].made_by = callee.ref;
  objects_[made.ref].open = true;
  for (const Argument& each : arguments.list) {
    if (each.name != kNone) set(made.ref, each.name, each.value, keyword_span(each));
  }
  return made;
}

Value Interpreter::behave(Behaviour how, const Value& callee, Arguments& arguments, SyntaxId at) {
  const Value first = arguments.list.empty() ? Value{} : arguments.list.front().value;
  switch (how) {
    case Behaviour::load:
      return host_.load(*this, first).value_or(Value{});
    case Behaviour::same:
      return first;
    case Behaviour::copy:
      return deep_copy(first, 0);
    case Behaviour::yes:
      return make_bool(true);
    case Behaviour::mapping: {
      const Value made = make_object(Kind::dict);
      for (const Argument& each : arguments.list) {
        if (each.name != kNone) set(made.ref, each.name, each.value, each.value.from);
        if (each.name == kNone && each.value.kind == Kind::dict) {
          objects_[made.ref] = objects_[each.value.ref];
        } else if (each.name == kNone) {
          objects_[made.ref].open = true;
        }
      }
      objects_[made.ref].open = objects_[made.ref].open || arguments.open;
      return made;
    }
    case Behaviour::merge: {
      Value made = first;
      for (std::size_t i = 1; i < arguments.list.size(); ++i) {
        made = merge_into(made, arguments.list[i].value, 0);
      }
      return made;
    }
    case Behaviour::structure: {
      const Value type = argument_value(arguments, 0, "data_class");
      return structure(type, argument_value(arguments, 1, "data"));
    }
    case Behaviour::parser:
      return *parser_method({}, "", arguments);
    case Behaviour::spawn:
      return spawn(arguments, at);
    case Behaviour::instantiate:
      return instantiate(arguments, at);
    case Behaviour::partial: {
      Value made;
      made.kind = Kind::method;
      made.ref = static_cast<std::uint32_t>(methods_.size());
      Method method;
      method.function = first;
      if (!arguments.list.empty()) {
        method.given.assign(arguments.list.begin() + 1, arguments.list.end());
        // It may be called in another file than the one these are written in.
        for (Argument& each : method.given) each.node = kNoSyntax;
      }
      methods_.push_back(std::move(method));
      return made;
    }
    case Behaviour::none:
    case Behaviour::fields:
    case Behaviour::coerced_fields:
    case Behaviour::entry:
    case Behaviour::opaque:
      break;
  }
  report(text(callee.ref), arguments, at, {});
  return {};
}

/// A function of the project that something outside calls, in each process or on its own.
Value Interpreter::spawn(Arguments& arguments, SyntaxId at) {
  if (arguments.list.empty()) return {};
  const Value function = arguments.list.front().value;
  Arguments passed;
  const Argument* list = argument(arguments, 1, "args", *this);
  if (list != nullptr) {
    const auto items = items_of(list->value);
    passed.list.push_back({});  // the rank
    if (!items) passed.open = true;
    if (items) {
      for (const Value& item : *items) passed.list.push_back({kNone, item, kNoSyntax});
    }
  }
  return call(function, std::move(passed), at);
}

/// `_target_` of a config with its other keys as arguments, later ones of the call over them.
Value Interpreter::instantiate(Arguments& arguments, SyntaxId at) {
  const Value config = arguments.list.empty() ? Value{} : arguments.list.front().value;
  if (config.kind != Kind::dict) return {};
  const Entry* target = find(config.ref, intern("_target_"));
  if (target == nullptr || target->value.kind != Kind::text) return {};
  const std::string name(text(target->value.ref));
  Arguments passed;
  passed.open = objects_[config.ref].open || arguments.open;
  for (const Entry& entry : objects_[config.ref].entries) {
    if (!text(entry.key).starts_with('_'))
      passed.list.push_back({entry.key, entry.value, kNoSyntax});
  }
  for (std::size_t i = 1; i < arguments.list.size(); ++i) {
    const Argument& each = arguments.list[i];
    std::erase_if(passed.list,
                  [&](const Argument& old) { return each.name != kNone && old.name == each.name; });
    if (each.name == kNone || !text(each.name).starts_with('_')) passed.list.push_back(each);
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  std::string path;
  Value callee = external(name);
  if (find_module(std::string_view(name).substr(0, dot), 0, path) != nullptr) {
    const Value module = import_module(std::string_view(name).substr(0, dot), 0);
    callee = from_module(module, {}, intern(std::string_view(name).substr(dot + 1)));
  }
  return call(callee, std::move(passed), at);
}

Value Interpreter::merge_into(const Value& base, const Value& over, int depth) {
  constexpr int kDeepest = 32;
  const bool both =
      (base.kind == Kind::dict || base.kind == Kind::instance) && over.kind == Kind::dict;
  if (!both) return over.known() || !base.known() ? over : Value{};
  if (depth > kDeepest && depth != 100) return {};
  Value made = make_object(base.kind);
  const Object left = objects_[base.ref];
  objects_[made.ref] = left;
  made.from = base.from;
  objects_[made.ref].open = left.open || objects_[over.ref].open;
  const std::vector<Entry> entries = objects_[over.ref].entries;
  for (const Entry& entry : entries) {
    const Entry* old = find(made.ref, entry.key);
    const bool merges = old != nullptr && depth != 100 && entry.value.kind == Kind::dict;
    const Value value = merges ? merge_into(old->value, entry.value, depth + 1) : entry.value;
    set(made.ref, entry.key, value, entry.key_span);
  }
  return made;
}

Value Interpreter::deep_copy(const Value& value, int depth) {
  constexpr int kDeepest = 32;
  if (!value.has_object() || value.kind == Kind::module || depth > kDeepest || !step())
    return value;
  Value made = value;
  made.ref = new_object();
  objects_[made.ref] = objects_[value.ref];
  for (std::size_t i = 0; i < objects_[made.ref].entries.size(); ++i) {
    const Value copy = deep_copy(objects_[made.ref].entries[i].value, depth + 1);
    objects_[made.ref].entries[i].value = copy;
  }
  for (std::size_t i = 0; i < objects_[made.ref].items.size(); ++i) {
    const Value copy = deep_copy(objects_[made.ref].items[i], depth + 1);
    objects_[made.ref].items[i] = copy;
  }
  return made;
}

}  // namespace gpulint::python
