#include "python/interpreter.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::python {

Interpreter::Interpreter(Host& host, std::vector<std::string> search,
                         const InterpreterLimits& limits)
    : ProgramState(host, ProgramMemory(std::move(search), limits)) {}

Interpreter::Interpreter(Host& host, const ProgramMemory& memory) : ProgramState(host, memory) {}

ObjectId Interpreter::run(const Module& module, bool as_main) {
  const ObjectId scope = begin(module, as_main);
  while (advance()) {
  }
  return scope;
}

ObjectId Interpreter::begin(const Module& module, bool as_main) {
  const ObjectId scope = enter(module, as_main);
  next_ = node(tree().root()).first;
  if (next_ == kNoSyntax) frames_.pop_back();
  return scope;
}

bool Interpreter::advance() {
  if (next_ == kNoSyntax) return false;
  const SyntaxId at = next_;
  next_ = node(at).next;
  if (const Flow flow = statement(at); flow != Flow::normal) {
    note_rest_left_out(at);
    next_ = kNoSyntax;
    stopped_ = stopped_ || (flow == Flow::raised && doubts_ == 0);
  }
  if (next_ == kNoSyntax) frames_.pop_back();
  return next_ != kNoSyntax;
}

Value Interpreter::call_of(const Value& callee) {
  const Module* module = callee.kind == Kind::function ? functions_[callee.ref].module
                         : callee.kind == Kind::type   ? types_[callee.ref].module
                                                       : nullptr;
  if (module == nullptr) return {};
  Frame frame;
  frame.module = module;
  frame.scope = modules_.at(module);
  frame.module_scope = frame.scope;
  frames_.push_back(std::move(frame));
  const Value made = call(callee, {}, kNoSyntax);
  frames_.pop_back();
  return made;
}

Value Interpreter::external(std::string_view name) {
  // No program that runs is being checked.
  if (name == "typing.TYPE_CHECKING" || name == "typing_extensions.TYPE_CHECKING")
    return make_bool(false);
  if (host_.behaviour(name) == Behaviour::environment) {
    if (const Value variables = environment(); variables.known()) return variables;
  }
  Value made;
  made.kind = Kind::external;
  made.ref = intern(name);
  const Value& known = described(made.ref);
  const bool is_constant = known.kind == Kind::real || known.kind == Kind::dict;  // math.pi
  return known.kind == Kind::type || is_constant ? known : made;
}

std::optional<double> Interpreter::number_at(const Value& callee, std::int64_t number) {
  const bool is_function = callee.kind == Kind::function || callee.kind == Kind::method;
  if (!is_function || frames_.empty()) return std::nullopt;
  Argument argument;
  argument.value = Value{.kind = Kind::integer, .origin = Origin::code, .integer = number};
  ++silent_;
  const Value made = call(callee, {{argument}, false}, kNoSyntax);
  --silent_;
  return made.is_number() ? std::optional(made.number()) : std::nullopt;
}

bool Interpreter::step() {
  if (building_ > 0) {
    if (++build_steps_ > limits_.max_build_steps) build_stopped_ = true;
    return !build_stopped_ && !truncated_;
  }
  if (importing_ > 0 && trying_ == 0) {
    if (++import_steps_ > limits_.max_import_steps) truncated_ = true;
  } else if (++steps_ > limits_.max_steps) {
    truncated_ = true;
  }
  return !truncated_;
}

std::string_view Interpreter::source(SyntaxId id) const {
  if (id == kNoSyntax || frames_.empty()) return {};
  const SyntaxNode& at = node(id);
  return tree().source().substr(at.begin, at.end - at.begin);
}

SourceSpan Interpreter::span(SyntaxId id) const {
  return {frames_.back().module->file, node(id).begin, node(id).end};
}

std::vector<std::string_view> Interpreter::running() const {
  std::vector<std::string_view> names;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->function == kNone) continue;
    const Function& function = functions_[frame->function];
    names.push_back(function.module->tree.text(function.node));
  }
  return names;
}

const Value* Interpreter::local(std::size_t outwards, std::string_view name) const {
  std::size_t seen = 0;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->function == kNone || seen++ != outwards) continue;
    const std::optional<TextId> id = texts_.find(name);
    const Entry* entry = id ? find(frame->scope, *id) : nullptr;
    return entry == nullptr ? nullptr : &entry->value;
  }
  return nullptr;
}

std::string Interpreter::dotted_name(SyntaxId function) {
  if (node(function).kind == Syntax::attribute) {
    const std::string of = dotted_name(node(function).first);
    return (of.starts_with('.') ? std::string() : of) + "." + std::string(tree().text(function));
  }
  if (node(function).kind != Syntax::name) return ".";
  const std::optional<TextId> id = texts_.find(source(function));
  const Value value = id ? lookup(*id) : Value{};
  return value.kind == Kind::external ? std::string(text(value.ref)) : ".";
}

Value Interpreter::lookup(TextId name) {
  constexpr int kMostScopes = 64;
  bool open = false;
  ObjectId scope = frames_.back().scope;
  for (int i = 0; scope != kNone && i < kMostScopes; ++i) {
    if (const Entry* entry = find(scope, name)) return entry->value;
    open = open || objects_[scope].open;
    scope = objects_[scope].parent;
  }
  if (open) return {};
  if (const Value found = from_outside(frames_.back().module_scope, name); found.known())
    return found;
  if (texts_[name] == "__doc__") return own_text();
  Value made;  // a builtin, or a name nobody defines
  made.kind = Kind::external;
  made.ref = name;
  return made;
}

/// `__doc__`: the text that the running module begins with.
Value Interpreter::own_text() {
  const SyntaxId first = node(tree().root()).first;
  const SyntaxId value = first == kNoSyntax ? kNoSyntax : node(first).first;
  const bool is_text = value != kNoSyntax && node(first).kind == Syntax::expression &&
                       node(value).kind == Syntax::string;
  return is_text ? eval(value) : Value{.kind = Kind::none, .origin = Origin::code};
}

void Interpreter::assign_name(TextId name, const Value& value, SourceSpan key_span) {
  Frame& frame = frames_.back();
  if (std::find(frame.globals.begin(), frame.globals.end(), name) == frame.globals.end()) {
    set(frame.scope, name, value, key_span);
    return;
  }
  for (ObjectId scope = objects_[frame.scope].parent; scope != kNone;
       scope = objects_[scope].parent) {
    if (find(scope, name) != nullptr) {
      set(scope, name, value, key_span);
      return;
    }
  }
  set(frame.module_scope, name, value, key_span);
}

/// A scope for what the module defines, and the frame in which it runs.
ObjectId Interpreter::enter(const Module& module, bool as_main) {
  const ObjectId scope = new_object();
  modules_.emplace(&module, scope);
  objects_[scope].entries.push_back(
      {intern("__name__"), {}, make_text(as_main ? "__main__" : std::string(running::kOwnName))});
  objects_[scope].entries.push_back({intern("__file__"), {}, make_text(module.path)});
  Frame frame;
  frame.module = &module;
  frame.scope = scope;
  frame.module_scope = scope;
  frames_.push_back(std::move(frame));
  return scope;
}

ObjectId Interpreter::module_scope(const Module& module) {
  const auto known = modules_.find(&module);
  if (known != modules_.end()) return known->second;
  const ObjectId scope = enter(module, false);
  // What a module does when it is imported happens once, whoever asked for it.
  const std::vector<Side> sides = std::exchange(sides_, {});
  std::vector<Change> changes = std::exchange(changes_, {});
  const int loops = std::exchange(loops_, 0);
  const std::vector<Round> rounds = std::exchange(rounds_, {});
  const std::vector<Guard> guards = std::exchange(guards_, {});
  // What a project's module does counts as its own, whoever imports it.
  const int building = std::exchange(building_, module.is_library ? 1 : 0);
  const int silent = std::exchange(silent_, 0);
  const ObjectId fresh = std::exchange(fresh_, kNone);
  ++importing_;
  block(module.tree.root());
  --importing_;
  fresh_ = fresh;
  silent_ = silent;
  building_ = building;
  guards_ = guards;
  rounds_ = rounds;
  loops_ = loops;
  changes_ = std::move(changes);
  sides_ = sides;
  frames_.pop_back();
  return scope;
}

}  // namespace gpulint::python
