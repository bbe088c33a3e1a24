// Functions that decorators make commands of: click, typer, and classes that options fill.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gpulint::python {
namespace {

/// "train-model" of `def train_model`.
std::string word_of(std::string_view function) {
  std::string word(function);
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

std::string plain_name(std::string_view written) {
  std::string name = to_lower(trim(written));
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// How an option is written, and the name under which the function gets it.
struct Declared {
  std::string name = {};  // of the parameter
  std::vector<std::string> on = {};
  std::vector<std::string> off = {};  // of `--fast/--slow`
  bool is_word = false;               // it is given without a name in front of it
};

void add_name(Declared& declared, std::string_view written) {
  const std::size_t slash = written.find('/', 1);
  declared.on.push_back(plain_name(written.substr(0, slash)));
  if (slash != written.npos) declared.off.push_back(plain_name(written.substr(slash + 1)));
}

/// The word without dashes, else the first long name, else the first.
Declared declared_as(const std::vector<std::string>& written) {
  Declared made;
  std::string first_long;
  for (const std::string& each : written) {
    if (each.starts_with('-') || each.starts_with('/')) {
      add_name(made, each);
      if (first_long.empty() && each.starts_with("--")) first_long = made.on.back();
    } else {
      made.name = plain_name(each);
    }
  }
  made.is_word = made.on.empty();
  if (made.name.empty() && !made.on.empty())
    made.name = first_long.empty() ? made.on.front() : first_long;
  if (made.is_word && !made.name.empty()) made.on.push_back(made.name);
  return made;
}

bool makes_command(Behaviour how) {
  return how == Behaviour::declares_command || how == Behaviour::declares_group ||
         how == Behaviour::fills_class;
}

/// What programs say of how the command is started, and not of its options.
bool is_about_start(std::string_view name) {
  return is_one_of(name, {"standalone_mode", "prog_name", "obj", "auto_envvar_prefix",
                          "complete_var", "max_content_width"});
}

}  // namespace

/// `@app.command()`, `@cli.command("train")`: what holds the commands it adds to.
running::Command* Interpreter::group_of(SyntaxId named, const Value& decorator) {
  if (node(named).kind != Syntax::attribute) return nullptr;
  if (decorator.kind == Kind::method && methods_[decorator.ref].self.kind == Kind::instance) {
    const Method& method = methods_[decorator.ref];
    const bool is_app = host_.behaviour(method_name(method)) == Behaviour::declares_command;
    return is_app ? &apps_[method.self.ref] : nullptr;
  }
  if (!is_one_of(tree().text(named), {"command", "group"})) return nullptr;
  const Value group = eval(node(named).first);
  const auto known = group.kind == Kind::function ? commands_.find(group.ref) : commands_.end();
  return known != commands_.end() && known->second.is_group ? &known->second : nullptr;
}

/// `def main(cfg: Settings)`: the class that stands behind the parameter's name.
Value Interpreter::annotated_class(std::uint32_t function, SyntaxId parameter) {
  const SyntaxTree& code = functions_[function].module->tree;
  std::string_view rest = code.source().substr(code.node(parameter).begin);
  rest = trim(rest.substr(std::min(code.text(parameter).size(), rest.size())));
  if (!rest.starts_with(':')) return {};
  rest = trim(rest.substr(1));
  std::size_t end = 0;
  while (end < rest.size() && (is_name_part(rest[end]) || rest[end] == '.')) ++end;
  frames_.push_back(frame_of(function));
  const Value found = named(rest.substr(0, end));
  frames_.pop_back();
  return found;
}

/// The decorators of a function that was just defined, each as it is written, with its arguments,
/// and what it is without them.
void Interpreter::declare_command(std::uint32_t function,
                                  std::span<const std::pair<SyntaxId, Value>> decorators) {
  Command command;
  bool is_command = false;
  for (const auto& [written, decorator] : decorators) {
    const bool is_called = node(written).kind == Syntax::call;
    const SyntaxId named = is_called ? node(written).first : written;
    const Behaviour how = decorator.kind == Kind::external ? host_.behaviour(text(decorator.ref))
                                                           : Behaviour::none;
    command.is_group = command.is_group || how == Behaviour::declares_group;
    command.has_context = command.has_context || how == Behaviour::gives_context;
    command.fills_class = command.fills_class || how == Behaviour::fills_class;
    is_command = is_command || makes_command(how);
    if (how == Behaviour::declares_option && is_called)
      command.options.push_back(arguments(node(named).next));
    Command* group = group_of(named, decorator);
    if (group == nullptr) continue;
    is_command = true;
    command.is_group = command.is_group || tree().text(named) == "group";
    command.takes_parameters = !group->is_group;
    const Arguments stated = is_called ? arguments(node(named).next) : Arguments{};
    const Value name = argument_value(stated, 0, "name");
    const Function& made = functions_[function];
    const std::string word = name.kind == Kind::text ? std::string(text(name.ref))
                                                     : word_of(made.module->tree.text(made.node));
    group->below.emplace_back(intern(word), function);
  }
  if (!is_command) return;
  functions_[function].is_command = true;
  commands_[function] = std::move(command);
}

/// `main()`, `cli(obj={})`, `app()`: whatever they take comes from the command line.
bool Interpreter::starts_command(const Value& callee, const Arguments& arguments) const {
  const bool is_app = callee.kind == Kind::instance && apps_.contains(callee.ref);
  const bool is_command = callee.kind == Kind::function && functions_[callee.ref].is_command;
  return (is_app || is_command) && !arguments.open &&
         std::all_of(arguments.list.begin(), arguments.list.end(), [&](const Argument& each) {
           return each.name != kNone && is_about_start(text(each.name));
         });
}

Value Interpreter::start_command(const Value& callee, SyntaxId at) {
  std::string_view word = host_.subcommand();
  if (word.starts_with('-')) word = {};
  if (callee.kind == Kind::function) return run_decorated(callee.ref, word, at);
  const Command app = apps_.at(callee.ref);
  // One command alone needs no word for it.
  if (app.below.size() == 1) return run_decorated(app.below.front().second, word, at);
  return run_below(app, word, at);
}

/// The command that the word in front of the options chooses.
Value Interpreter::run_below(const Command& command, std::string_view word, SyntaxId at) {
  if (word.empty() && command.below.size() > 1) {
    std::vector<std::string_view> words;
    for (const auto& [each, function] : command.below) words.push_back(text(each));
    word = host_.meant(words);
  }
  const auto is_meant = [&](const auto& each) { return text(each.first) == word; };
  const auto chosen = std::find_if(command.below.begin(), command.below.end(), is_meant);
  const bool is_alone = word.empty() && command.below.size() == 1;
  if (chosen == command.below.end() && !is_alone) return {};
  return run_decorated(is_alone ? command.below.front().second : chosen->second, {}, at);
}

Value Interpreter::run_decorated(std::uint32_t index, std::string_view word, SyntaxId at) {
  const Command command = commands_.at(index);
  const Function function = functions_[index];
  Arguments made;
  if (command.fills_class) {
    const SyntaxId parameters = function.module->tree.node(function.node).first;
    const SyntaxId first = function.module->tree.node(parameters).first;
    const Value type = first == kNoSyntax ? Value{} : annotated_class(index, first);
    if (type.kind != Kind::type) return {};
    made.list.push_back({kNone, class_of_config(type, at), kNoSyntax});
  } else if (command.takes_parameters && command.options.empty()) {
    made = arguments_of_command(function, command.is_group ? std::string_view() : word);
  } else {
    if (command.has_context) made.list.push_back({kNone, Value{}, kNoSyntax});
    std::string_view rest = command.is_group ? std::string_view() : word;
    for (const Arguments& stated : command.options) {
      Argument option = decorated_option(stated, rest);
      if (takes_word(stated)) rest = {};
      if (option.name == kNone) {
        made.open = true;
        continue;
      }
      made.list.push_back(option);
    }
  }
  const Value result = call_function(index, nullptr, std::move(made));
  return command.is_group ? run_below(command, word, at) : result;
}

/// `@click.argument("config")`, which has no name on the command line.
bool Interpreter::takes_word(const Arguments& stated) const {
  return std::all_of(stated.list.begin(), stated.list.end(), [&](const Argument& each) {
    return each.name != kNone || !text_of(each.value).starts_with('-');
  });
}

/// `@click.option("--width", "-w", type=int, default=64)`; without a name where nobody knows it.
Argument Interpreter::decorated_option(const Arguments& stated, std::string_view word) {
  std::vector<std::string> written;
  for (const Argument& each : stated.list) {
    if (each.name != kNone) continue;
    if (each.value.kind != Kind::text) return {};
    written.emplace_back(text(each.value.ref));
  }
  const Declared declared = declared_as(written);
  if (declared.name.empty() || stated.open) return {};
  const auto says = [&](std::string_view name) { return argument(stated, kByName, name, *this); };
  const Value otherwise = argument_value(stated, kByName, "default");
  const bool has_default = says("default") != nullptr;
  const Value flag = argument_value(stated, kByName, "is_flag");
  const bool is_switch = !declared.off.empty() || truth(flag) == std::optional(true);
  std::string_view type = text_of(argument_value(stated, kByName, "type"));
  type = type.substr(type.rfind('.') + 1);
  if (says("type") == nullptr && otherwise.kind == Kind::integer) type = "int";
  if (says("type") == nullptr && otherwise.kind == Kind::real) type = "float";
  const std::string kind = to_lower(type);

  std::optional<Value> given;
  for (const std::string& each : declared.on) {
    if (!given) given = host_.argument(*this, each);
  }
  if (given && is_switch && says("flag_value") == nullptr) {
    given = make_bool(!declared.off.empty() || otherwise.kind != Kind::boolean ||
                      otherwise.integer == 0);
  } else if (given && is_switch) {
    given = argument_value(stated, kByName, "flag_value");
  }
  for (const std::string& each : declared.off) {
    if (!given && host_.argument(*this, each)) given = make_bool(false);
  }
  if (!given && declared.is_word && !word.empty()) given = make_text(word);
  const bool takes_several = says("multiple") != nullptr || says("nargs") != nullptr;
  Value value{.kind = Kind::none, .origin = Origin::code};
  if (is_switch) value = make_bool(false);
  if (has_default) value = otherwise;
  if (given) {
    value = takes_several && given->kind != Kind::list ? Value{} : *given;
  } else {
    const bool is_needed = declared.is_word || truth(argument_value(stated, kByName, "required")) ==
                                                   std::optional(true);
    if ((is_needed && !has_default) || !host_.knows_option(declared.name, unset_as(value)))
      value = {};
  }
  if ((kind == "int" || kind == "float") && (value.is_number() || value.kind == Kind::text))
    value = conversion(kind, value).value_or(Value{});
  const Value converts = argument_value(stated, kByName, "type");
  const bool is_own = converts.kind == Kind::function || converts.kind == Kind::method;
  if (is_own && value.kind == Kind::text)
    value = call(converts, {{{kNone, value, kNoSyntax}}, false}, kNoSyntax);
  if (says("callback") != nullptr) value = {};
  return {intern(declared.name), value, kNoSyntax};
}

void Interpreter::start_by_entry_point(const Module& module) {
  const auto known = modules_.find(&module);
  if (known == modules_.end() || !frames_.empty()) return;
  std::vector<std::uint32_t> own;
  for (const auto& [function, command] : commands_) {
    const bool is_here = functions_[function].module == &module;
    if (is_here && command.is_group) return;
    if (is_here) own.push_back(function);
  }
  const auto has_run = [&](std::uint32_t function) {
    const SyntaxId body = module.tree.child(functions_[function].node, 1);
    const SyntaxId first = module.tree.node(body).first;
    const auto marks = reach_.marks.find(&module);
    return first != kNoSyntax && marks != reach_.marks.end() &&
           (marks->second[first] & Reach::kRan) != 0;
  };
  Frame frame;
  frame.module = &module;
  frame.scope = frame.module_scope = known->second;
  frames_.push_back(std::move(frame));
  if (own.size() == 1 && !has_run(own.front())) run_decorated(own.front(), {}, kNoSyntax);
  const Entry* main = find(known->second, intern("main"));
  const bool is_started = own.empty() && main != nullptr && main->value.kind == Kind::function &&
                          functions_[main->value.ref].module == &module &&
                          !has_run(main->value.ref) &&
                          reads_command_line(functions_[main->value.ref]);
  if (is_started) call_function(main->value.ref, nullptr, {});
  frames_.pop_back();
}

/// Its parameters have defaults, and it parses the command line itself.
bool Interpreter::reads_command_line(const Function& function) const {
  const SyntaxTree& code = function.module->tree;
  for (SyntaxId at = code.node(code.node(function.node).first).first; at != kNoSyntax;
       at = code.node(at).next) {
    const auto how = static_cast<Parameter>(code.node(at).op);
    const bool is_rest = how == Parameter::rest || how == Parameter::keyword_rest;
    if (!is_rest && code.node(at).first == kNoSyntax) return false;
  }
  const SyntaxNode& own = code.node(function.node);
  const std::string_view text = code.source().substr(own.begin, own.end - own.begin);
  return text.find("parse_args(") != text.npos || text.find("parse_known_args(") != text.npos;
}

/// `group.add_command(command)`.
bool Interpreter::add_command(const Method& method, const Arguments& arguments) {
  const auto group = method.self.kind == Kind::function ? commands_.find(method.self.ref)
                                                        : commands_.end();
  if (group == commands_.end() || !group->second.is_group || text(method.name) != "add_command")
    return false;
  const Value added = argument_value(arguments, 0, "cmd");
  const Value name = argument_value(arguments, 1, "name");
  if (added.kind != Kind::function || !functions_[added.ref].is_command) return true;
  const Function& made = functions_[added.ref];
  const std::string word = name.kind == Kind::text ? std::string(text(name.ref))
                                                   : word_of(made.module->tree.text(made.node));
  group->second.below.emplace_back(intern(word), added.ref);
  return true;
}

/// `executor.submit(function, argument)`: what it is given is called, perhaps elsewhere.
Value Interpreter::submit(Arguments& arguments, SyntaxId at, std::string_view name) {
  report(name, arguments, at, {});
  if (arguments.list.empty() || arguments.list.front().name != kNone) return {};
  const Value callee = arguments.list.front().value;
  const bool is_own = callee.kind == Kind::function || callee.kind == Kind::method ||
                      (callee.kind == Kind::instance && objects_[callee.ref].type != kNone);
  if (!is_own) return {};
  Arguments passed{{arguments.list.begin() + 1, arguments.list.end()}, arguments.open};
  for (Argument& each : passed.list) each.node = kNoSyntax;
  call(callee, std::move(passed), at);
  return {};
}

}  // namespace gpulint::python
