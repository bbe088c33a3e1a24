// Functions and classes that a library makes a command line of.

#include "base/text.h"
#include "python/interpreter.h"

#include <string>
#include <utility>

namespace gpulint::python {

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

/// `Fire(function)`, `Fire({"train": function})`, and `Fire()` of a module whose functions are
/// chosen by the word in front of the options.
Value Interpreter::run_command(Value component, SyntaxId at) {
  std::string_view word = host_.subcommand();
  if (word.starts_with('-')) word = {};
  if (!component.known())
    component = Value{.kind = Kind::module, .ref = frames_.back().module_scope};
  if (component.kind == Kind::module || component.kind == Kind::dict) {
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
