// argparse: groups of a parser's options, and those that a program goes through by itself.

#include "python/interpreter.h"

#include <string>
#include <utility>

namespace gpulint::python {
namespace {

constexpr std::string_view kActions = "_group_actions";

}  // namespace

/// `parser.add_argument_group("data")`: what is added to it is an option of the parser.
Value Interpreter::option_group(const Value& parser, const Arguments& arguments) {
  const Value made = make_object(Kind::instance);
  objects_[made.ref].made_by = intern("argparse.ArgumentParser");
  set(made.ref, intern("title"), argument_value(arguments, 0, "title"));
  set(made.ref, intern(kActions), make_object(Kind::list));
  option_groups_[made.ref] = parser.ref;
  return made;
}

/// `parser._action_groups`: those without a title come first.
Value Interpreter::groups_of_options(const Value& parser) {
  const Value made = make_object(Kind::list);
  const Value all = make_object(Kind::list);
  for (const CommandOption& option : command_lines_[parser.ref].options)
    append(all.ref, option_action(option));
  for (const char* title : {"positional arguments", "options", "optional arguments"}) {
    const Value group = make_object(Kind::instance);
    set(group.ref, intern("title"), make_text(title));
    set(group.ref, intern(kActions), all);
    append(made.ref, group);
  }
  for (const auto& [group, of] : option_groups_) {
    if (of == parser.ref) append(made.ref, Value{.kind = Kind::instance, .ref = group});
  }
  return made;
}

Value Interpreter::option_action(const CommandOption& option) {
  const Value made = make_object(Kind::instance);
  objects_[made.ref].open = true;
  set(made.ref, intern("dest"), make_text(option.dest));
  return made;
}

/// A method of a group acts on its parser, which takes more options if the group may.
std::optional<Value> Interpreter::group_method(const Value& self, ObjectId of,
                                               std::string_view name, Arguments& arguments) {
  Value parser = self;
  parser.ref = of;
  auto made = parser_method(parser, name, arguments);
  const std::vector<CommandOption>& options = command_lines_[of].options;
  const Entry* actions = find(self.ref, intern(kActions));
  if (name == "add_argument" && !options.empty() && actions != nullptr)
    append(actions->value.ref, option_action(options.back()));
  return made;
}

/// What code that nobody read was given a group may have added to it.
void Interpreter::doubt_groups_of(const Value& parser) {
  for (const auto& [group, of] : option_groups_) {
    if (of != parser.ref) continue;
    const bool is_shared = objects_[group].is_shared;
    const bool is_open = objects_[group].open;
    objects_[of].is_shared = objects_[of].is_shared || is_shared;
    objects_[of].open = objects_[of].open || is_open;
  }
}

}  // namespace gpulint::python
