// Texts that code evaluates or runs: `eval(config["optimizer"])`, `exec("lr = 0.1")`.

#include "python/interpreter.h"

#include <memory>
#include <string>
#include <utility>

namespace gpulint::python {

/// A text as a module of its own; nullptr: there are too many, or it is no code. `at`: the text, in
/// the call.
const Module* Interpreter::module_of_text(const Value& written, SyntaxId at) {
  constexpr std::size_t kLongest = 4096;
  constexpr std::size_t kMostTexts = 256;
  constexpr std::size_t kDeepest = 4;
  const std::string_view code = text(written.ref);
  if (at == kNoSyntax || code.size() > kLongest || evaluated_.size() >= kMostTexts ||
      evaluating_.size() >= kDeepest)
    return nullptr;
  auto module = std::make_shared<Module>();
  module->text = code;
  module->tree = parse(module->text);
  if (module->tree.errors() != 0) return nullptr;
  evaluated_.push_back(module);
  return module.get();
}

/// Goes into a text, with the names that are known where it is evaluated.
void Interpreter::enter_text(const Module& module, SyntaxId at) {
  evaluating_.emplace_back(frames_.back().module, at);
  Frame frame = frames_.back();
  frame.module = &module;
  frame.returns.clear();
  frames_.push_back(std::move(frame));
}

void Interpreter::leave_text() {
  frames_.pop_back();
  evaluating_.pop_back();
}

/// What the expression in a text comes to where it is evaluated.
Value Interpreter::evaluated(const Value& written, SyntaxId at) {
  const Module* module = module_of_text(written, at);
  if (module == nullptr) return {};
  const SyntaxTree& tree = module->tree;
  const SyntaxId statement = tree.node(tree.root()).first;
  const bool is_expression = statement != kNoSyntax &&
                             tree.node(statement).kind == Syntax::expression &&
                             tree.node(statement).next == kNoSyntax;
  if (!is_expression) return {};
  enter_text(*module, at);
  const Value made = eval(tree.node(statement).first);
  leave_text();
  return made;
}

/// `exec("parser.add_argument('--{0}')".format(key))`: the statements of a text.
Value Interpreter::executed(const Value& written, SyntaxId at) {
  if (const Module* module = module_of_text(written, at)) {
    enter_text(*module, at);
    block(module->tree.root());
    leave_text();
  }
  return {.kind = Kind::none};
}

}  // namespace gpulint::python
