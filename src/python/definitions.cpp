// `def` and `class`.

#include "python/interpreter.h"

#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::python {

void Interpreter::define_function(SyntaxId id) {
  Function function;
  function.module = frames_.back().module;
  function.node = id;
  function.scope = frames_.back().scope;
  const SyntaxId body = tree().child(id, 1);
  function.generates = node(id).yields != 0;
  bool is_unknown = false;
  std::vector<std::pair<SyntaxId, Value>> decorators;
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const bool called = node(value).kind == Syntax::call;
    const Value decorator = eval(called ? node(value).first : value);
    const std::string_view name = text_of(decorator);
    function.detaches = function.detaches || detaches(decorator);
    if (name == "staticmethod") function.call = Function::Call::is_static;
    if (name == "classmethod") function.call = Function::Call::is_class;
    if (name == "property" || name.ends_with("cached_property"))
      function.call = Function::Call::property;
    if (decorator.kind == Kind::external && host_.behaviour(name) == Behaviour::entry) {
      function.takes_config = true;
      if (called) function.entry = arguments(node(node(value).first).next).list;
    }
    decorators.emplace_back(value, decorator);
    is_unknown = is_unknown || source(value).ends_with(".setter");
  }
  if (is_unknown) return;
  Value value;
  value.kind = Kind::function;
  value.ref = static_cast<std::uint32_t>(functions_.size());
  functions_.push_back(std::move(function));
  if (!decorators.empty()) declare_command(value.ref, decorators);
  assign_name(intern(tree().text(id)), value, span(id));
  if (frames_.back().function == kNone) decorate(body, value);
}

/// Decorators may enter what they stand on into a registry; what they return is
/// taken for what they were given.
void Interpreter::decorate(SyntaxId body, const Value& value) {
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const SyntaxId written = node(at).first;
    const SyntaxId named = node(written).kind == Syntax::call ? node(written).first : written;
    const std::string_view word = source(named);
    const bool registers = word.find("regist") != word.npos || word.find("Regist") != word.npos ||
                           word.find("REGIST") != word.npos;
    if (!registers) continue;
    const Value decorator = eval(written);
    const bool is_own = decorator.kind == Kind::function || decorator.kind == Kind::method;
    const bool is_described =
        decorator.kind == Kind::external && described(decorator.ref).kind == Kind::function;
    if (is_own || is_described) call(decorator, {{{kNone, value, kNoSyntax}}, false}, kNoSyntax);
  }
}

/// Whether a base class or a decorator makes fields of annotated names, and which kind.
Behaviour Interpreter::fields_from(const Value& base_or_decorator) {
  if (base_or_decorator.kind != Kind::external) return Behaviour::none;
  const Behaviour how = host_.behaviour(text(base_or_decorator.ref));
  const bool makes_fields = how == Behaviour::fields || how == Behaviour::coerced_fields;
  return makes_fields ? how : Behaviour::none;
}

void Interpreter::define_class(SyntaxId id) {
  const auto index = static_cast<std::uint32_t>(types_.size());
  const SyntaxId bases = node(id).first;
  const SyntaxId body = node(bases).next;
  types_.emplace_back();
  Type made;
  made.module = frames_.back().module;
  made.node = id;
  for (SyntaxId base = node(bases).first; base != kNoSyntax; base = node(base).next) {
    if (node(base).kind == Syntax::keyword || node(base).kind == Syntax::double_star) continue;
    const bool is_generic = node(base).kind == Syntax::subscript;
    made.bases.push_back(eval(is_generic ? node(base).first : base));
    const Behaviour how = fields_from(made.bases.back());
    if (how != Behaviour::none) made.fields = how;
  }
  for (SyntaxId at = node(body).next; at != kNoSyntax; at = node(at).next) {
    const SyntaxId value = node(at).first;
    const Value decorator = eval(node(value).kind == Syntax::call ? node(value).first : value);
    const Behaviour how = fields_from(decorator);
    if (how != Behaviour::none) made.fields = how;
  }
  made.scope = new_object();
  objects_[made.scope].parent = frames_.back().scope;
  types_[index] = std::move(made);
  run_class_body(index, body);
  Value value;
  value.kind = Kind::type;
  value.ref = index;
  assign_name(intern(tree().text(id)), value, span(id));
  decorate(body, value);
}

void Interpreter::run_class_body(std::uint32_t type, SyntaxId body) {
  const ObjectId scope = types_[type].scope;
  Frame frame;
  frame.module = frames_.back().module;
  frame.scope = scope;
  frame.module_scope = frames_.back().module_scope;
  const std::size_t functions = functions_.size();
  frames_.push_back(std::move(frame));
  block(body);
  frames_.pop_back();
  for (const Entry& entry : objects_[scope].entries) {  // methods see the scope around
    if (entry.value.kind != Kind::function || entry.value.ref < functions) continue;
    functions_[entry.value.ref].type = type;
    functions_[entry.value.ref].scope = objects_[scope].parent;
  }
}

}  // namespace gpulint::python
