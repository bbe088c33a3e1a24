// Functions and classes that a library makes a command line of.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint::python {

/// `rate: float = typer.Option(0.1, "--lr")`: a default, and under which names it is given.
std::optional<Argument> Interpreter::declared_parameter(const Function& function,
                                                        SyntaxId parameter, std::string_view word) {
  const SyntaxTree& code = function.module->tree;
  const SyntaxId stated = code.node(parameter).first;
  if (stated == kNoSyntax || code.node(stated).kind != Syntax::call) return std::nullopt;
  Frame frame;
  frame.module = function.module;
  frame.scope = frame.module_scope = module_scope(*function.module);
  frames_.push_back(std::move(frame));
  const SyntaxId named = code.node(stated).first;
  const Value callee = eval(named);
  const bool declares = callee.kind == Kind::external &&
                        host_.behaviour(text(callee.ref)) == Behaviour::declares_option;
  const Arguments given = declares ? arguments(code.node(named).next) : Arguments{};
  frames_.pop_back();
  if (!declares || given.open) return std::nullopt;
  const std::string name(code.text(parameter));
  Arguments option;
  for (const Argument& each : given.list) {
    const bool is_default = each.name == kNone && &each == &given.list.front();
    option.list.push_back(is_default ? Argument{intern("default"), each.value, each.node} : each);
  }
  const bool is_named = std::any_of(option.list.begin(), option.list.end(),
                                    [](const Argument& each) { return each.name == kNone; });
  if (!is_named) {
    option.list.push_back({kNone, make_text("--" + name), kNoSyntax});
  }
  const Argument* otherwise = argument(option, kByName, "default", *this);
  if (otherwise != nullptr && otherwise->value.kind == Kind::boolean)
    option.list.push_back({intern("is_flag"), make_bool(true), kNoSyntax});
  Argument made = decorated_option(option, word);
  made.name = intern(name);
  return made;
}

/// The arguments that a command line has for a function: each parameter gets the option of its
/// name. `word`: in front of the options; the first parameter gets it.
Interpreter::Arguments Interpreter::arguments_of_command(const Function& function,
                                                         std::string_view word) {
  const SyntaxTree& code = function.module->tree;
  Arguments made;
  bool is_self = function.type != kNone && function.call != Function::Call::is_static;
  for (SyntaxId at = code.node(code.node(function.node).first).first; at != kNoSyntax;
       at = code.node(at).next) {
    const auto how = static_cast<Parameter>(code.node(at).op);
    if (how == Parameter::rest || how == Parameter::keyword_rest) {
      made.open = made.open || how == Parameter::keyword_rest;
      continue;
    }
    if (std::exchange(is_self, false)) continue;
    const std::string name(code.text(at));
    if (std::optional<Argument> declared = declared_parameter(function, at, word)) {
      made.list.push_back(*declared);
      word = {};
      continue;
    }
    const bool has_default = code.node(at).first != kNoSyntax;
    std::optional<Value> given = host_.argument(*this, name);
    if (!given && !word.empty()) given = make_text(word);
    word = {};
    // Whether it is given one nobody knows.
    if (!given && has_default && !host_.knows_option(name, Unset::value)) given = Value{};
    if (given) made.list.push_back({intern(name), *given, kNoSyntax});
  }
  return made;
}

/// Of the functions of a module or a dict, where no word chooses one.
std::string_view Interpreter::meant_function(ObjectId holder) {
  std::vector<std::string_view> words;
  for (const Entry& entry : objects_[holder].entries) {
    const bool is_here = entry.value.kind == Kind::function &&
                         functions_[entry.value.ref].module == frames_.back().module;
    if (is_here) words.push_back(text(entry.key));
  }
  return host_.meant(words);
}

/// `Fire(function)`, `Fire({"train": function})`, and `Fire()` of a module whose functions are
/// chosen by the word in front of the options.
Value Interpreter::run_command(Value component, SyntaxId at) {
  std::string_view word = host_.subcommand();
  if (word.starts_with('-')) word = {};
  if (!component.known())
    component = Value{.kind = Kind::module, .ref = frames_.back().module_scope};
  if (component.kind == Kind::module || component.kind == Kind::dict) {
    if (word.empty()) word = meant_function(component.ref);
    const Entry* chosen = word.empty() ? nullptr : find(component.ref, intern(word));
    if (chosen == nullptr) return {};
    component = chosen->value;
    word = {};
  }
  if (component.kind == Kind::function)
    return call(component, arguments_of_command(functions_[component.ref], word), at);
  // `Fire(App)`: the word is a method of it.
  const Value* method = component.kind == Kind::type && !word.empty()
                            ? own_method(component.ref, intern(word), 0)
                            : nullptr;
  if (method != nullptr && method->kind == Kind::function) {
    const std::uint32_t chosen = method->ref;
    const Value* maker = own_method(component.ref, intern("__init__"), 0);
    Arguments of_class;
    if (maker != nullptr && maker->kind == Kind::function)
      of_class = arguments_of_command(functions_[maker->ref], {});
    const Value made = construct(component.ref, std::move(of_class), at);
    return call_function(chosen, &made, arguments_of_command(functions_[chosen], {}));
  }
  // A class of fields gets an option for each.
  if (component.kind == Kind::type && types_[component.ref].fields != Behaviour::none)
    return class_of_config(component, {}, options_of_libraries({component}, {}), at);
  return component.kind == Kind::method ? call(component, {{}, true}, at) : Value{};
}

}  // namespace gpulint::python
