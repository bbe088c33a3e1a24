// Texts that code evaluates: `eval(config["optimizer"])`.

#include "python/interpreter.h"

#include <memory>
#include <string>
#include <utility>

namespace gpulint::python {

/// What the expression in a text comes to where it is evaluated. `at`: the text, in the call.
Value Interpreter::evaluated(const Value& written, SyntaxId at) {
  constexpr std::size_t kLongest = 4096;
  constexpr std::size_t kMostTexts = 256;
  constexpr std::size_t kDeepest = 4;
  const std::string_view code = text(written.ref);
  if (at == kNoSyntax || code.size() > kLongest || evaluated_.size() >= kMostTexts ||
      evaluating_.size() >= kDeepest)
    return {};
  auto module = std::make_shared<Module>();
  module->text = code;
  module->tree = parse(module->text);
  const SyntaxTree& tree = module->tree;
  const SyntaxId statement = tree.node(tree.root()).first;
  const bool is_expression = tree.errors() == 0 && statement != kNoSyntax &&
                             tree.node(statement).kind == Syntax::expression &&
                             tree.node(statement).next == kNoSyntax;
  if (!is_expression) return {};
  evaluated_.push_back(module);
  evaluating_.emplace_back(frames_.back().module, at);
  Frame frame = frames_.back();  // with the names that are known there
  frame.module = module.get();
  frame.returns.clear();
  frames_.push_back(std::move(frame));
  const Value made = eval(tree.node(statement).first);
  frames_.pop_back();
  evaluating_.pop_back();
  return made;
}

}  // namespace gpulint::python
