// What a call hands over, and how a function takes it.

#include "python/interpreter.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

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

/// What `*args` or `**kwargs` takes: the arguments without, or with, a name that no other took.
Value Interpreter::rest_of(Parameter how, const Arguments& arguments, std::vector<bool>& used) {
  const bool by_name = how == Parameter::keyword_rest;
  const Value value = make_object(by_name ? Kind::dict : Kind::tuple);
  objects_[value.ref].open = arguments.open;
  for (std::size_t i = 0; i < arguments.list.size(); ++i) {
    const Argument& each = arguments.list[i];
    if (used[i] || (each.name != kNone) != by_name) continue;
    used[i] = true;
    if (by_name) {
      set(value.ref, each.name, each.value, each.value.from);
    } else {
      append(value.ref, each.value);
    }
  }
  return value;
}

/// The argument that a library takes by another name as well: `axis` for `dim`. Their number: none.
std::size_t Interpreter::by_other_name(const Module& module, TextId name,
                                       const Arguments& arguments) {
  const std::size_t none = arguments.list.size();
  const auto [known, is_new] = other_names_.emplace(&module, kNone);
  if (is_new) {
    const Entry* names = find(module_scope(module), intern("__other_names__"));
    if (names != nullptr && names->value.kind == Kind::dict) known->second = names->value.ref;
  }
  if (known->second == kNone) return none;
  for (const Entry& each : objects_[known->second].entries) {
    if (each.value.kind != Kind::text || each.value.ref != name) continue;
    const auto at = std::find_if(
        arguments.list.begin(), arguments.list.end(),
        [&](const Argument& argument) { return argument.name == each.key; });
    if (at != arguments.list.end()) return static_cast<std::size_t>(at - arguments.list.begin());
  }
  return none;
}

void Interpreter::bind(const Function& function, SyntaxId parameters, ObjectId scope,
                       const Value* self, Arguments& arguments) {
  const SyntaxTree& code = function.module->tree;
  std::vector<Argument>& list = arguments.list;
  std::vector<bool> used(list.size());
  const auto is_named = [](const Argument& each) { return each.name != kNone; };
  const bool has_names =
      function.module->is_library && std::any_of(list.begin(), list.end(), is_named);
  std::size_t next = 0;  // argument without a name
  for (SyntaxId at = code.node(parameters).first; at != kNoSyntax; at = code.node(at).next) {
    const TextId name = intern(code.text(at));
    const auto how = static_cast<Parameter>(code.node(at).op);
    const SyntaxId otherwise = code.node(at).first;
    Value value;
    if (self != nullptr && how == Parameter::positional) {
      value = *std::exchange(self, nullptr);
    } else if (how == Parameter::rest || how == Parameter::keyword_rest) {
      value = rest_of(how, arguments, used);
    } else {
      while (next < list.size() && list[next].name != kNone) ++next;
      const bool by_position = how == Parameter::positional && next < list.size();
      const auto named = std::find_if(list.begin(), list.end(),
                                      [&](const Argument& each) { return each.name == name; });
      std::size_t index = by_position ? next++ : static_cast<std::size_t>(named - list.begin());
      if (index == list.size() && has_names)
        index = by_other_name(*function.module, name, arguments);
      if (index < list.size()) {
        value = list[index].value;
        used[index] = true;
      } else if (otherwise != kNoSyntax && !arguments.open) {
        value = eval(otherwise);
      }
    }
    objects_[scope].entries.push_back({name, {}, value});
  }
  refuse_surplus(function, arguments);
}

}  // namespace gpulint::python
