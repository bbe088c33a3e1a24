// Optimizers that a project writes itself: copies of published ones, mostly. What one is given says
// as much as what a library's is given, with the defaults of its own constructor.

#include "python/interpreter.h"

#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::python {

/// The library's optimizer that a class of the project extends; kNone: it is none.
TextId Interpreter::optimizer_base(std::uint32_t type, int depth) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest) return kNone;
  const std::vector<Value> bases = types_[type].bases;
  for (const Value& base : bases) {
    if (base.kind == Kind::external && host_.makes_optimizer(text(base.ref))) return base.ref;
    if (base.kind != Kind::type) continue;
    if (const TextId found = optimizer_base(base.ref, depth + 1); found != kNone) return found;
  }
  return kNone;
}

bool Interpreter::is_own_optimizer(const Value& value) const {
  return value.kind == Kind::instance && objects_[value.ref].type != kNone &&
         objects_[value.ref].made_by != kNone &&
         host_.makes_optimizer(text(objects_[value.ref].made_by));
}

/// Under the name of a published one whose class has the same name, else under its base's. A class
/// that is given another optimizer first only wraps it: false.
bool Interpreter::report_own_optimizer(std::uint32_t type, const Value& self,
                                       const Arguments& arguments, SyntaxId at) {
  if (at == kNoSyntax) return false;
  const TextId base = optimizer_base(type, 0);
  if (base == kNone) return false;
  const std::uint32_t constructor = own_method(type, intern("__init__"), 0)->ref;
  const Function function = functions_[constructor];
  Frame frame = frame_of(constructor);
  const ObjectId scope = frame.scope;
  const SyntaxTree& code = function.module->tree;
  Arguments given = arguments;
  frames_.push_back(std::move(frame));
  bind(function, code.node(function.node).first, scope, &self, given);
  frames_.pop_back();
  const std::vector<Entry> bound = objects_[scope].entries;
  if (bound.size() < 2 || text(bound[1].key).find("param") == std::string_view::npos) return false;

  const TextId groups = intern("params");
  const auto name_of = [&](TextId name) { return name == bound[1].key ? groups : name; };
  Arguments named;
  named.open = arguments.open;
  std::size_t position = 1;
  for (const Argument& each : arguments.list) {
    const bool is_named = each.name != kNone;
    if (!is_named && position >= bound.size()) return false;
    named.list.push_back(
        {name_of(is_named ? each.name : bound[position++].key), each.value, each.node});
  }
  for (std::size_t i = 1; i < bound.size(); ++i) {
    if (argument(named, kByName, text(name_of(bound[i].key)), *this) == nullptr)
      named.list.push_back({name_of(bound[i].key), bound[i].value, kNoSyntax});
  }
  named.open = true;  // the library's defaults are not the class's
  const std::string_view published = host_.optimizer_of_class(class_name(self));
  const TextId made_by = published.empty() ? base : intern(published);
  objects_[self.ref].made_by = made_by;
  report(text(made_by), named, at, {});
  return true;
}

}  // namespace gpulint::python
