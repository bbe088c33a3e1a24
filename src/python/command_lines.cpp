// argparse: the options of a program, and the values they get.

#include "base/text.h"
#include "python/interpreter.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace gpulint::python {
namespace {

/// Makes a parser whose options are not just those that are added to it.
bool changes_reading(std::string_view keyword) {
  return keyword == "prefix_chars" || keyword == "fromfile_prefix_chars" ||
         keyword == "conflict_handler";
}

bool only_reads(std::string_view method) {
  return method.starts_with("print_") || method.starts_with("format_") || method == "exit" ||
         method == "get_default";
}

bool is_switch(std::string_view action) {
  return action.starts_with("store_") || action == "count" || action == "append_const" ||
         action == "help" || action == "version";
}

/// The first long name, or the first of all, unless `dest=` says another.
std::string dest_of(const std::vector<std::string>& names, std::string_view stated) {
  if (!stated.empty() || names.empty()) return std::string(stated);
  const auto is_long = [](const std::string& name) {
    return name.starts_with("--") || !name.starts_with('-');
  };
  const auto first = std::find_if(names.begin(), names.end(), is_long);
  std::string name = first == names.end() ? names.front() : *first;
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

Unset Interpreter::unset_as(const Value& value) const {
  if (value.kind == Kind::text) return text(value.ref).empty() ? Unset::empty : Unset::text;
  const bool is_off =
      value.kind == Kind::none || (value.kind == Kind::boolean && value.integer == 0);
  return is_off ? Unset::off : Unset::value;
}

/// `default=argparse.SUPPRESS`: an option that nobody gives has no attribute.
bool Interpreter::leaves_out(const Value& stated) const {
  return stated.kind == Kind::external && text(stated.ref) == "argparse.SUPPRESS";
}

/// `--batch-size` is args.batch_size; `dest=` says another name. A command may write `-b` as well.
void Interpreter::add_option(const Value& parser, const Arguments& arguments) {
  CommandLine& line = command_lines_[parser.ref];
  note_option(line, arguments);
  host_.adds(line.options.back());
  const bool takes_any_as_true = line.options.back().takes_any_as_true;
  TextId name = kNone;
  bool has_long = false;
  std::optional<Value> given;
  for (const Argument& each : arguments.list) {
    if (each.name != kNone || each.value.kind != Kind::text) continue;
    std::string option(text(each.value.ref));
    const bool is_long = option.starts_with("--") || !option.starts_with('-');
    option.erase(0, option.find_first_not_of('-'));
    std::replace(option.begin(), option.end(), '-', '_');
    if (name == kNone || (is_long && !has_long)) name = intern(option);
    has_long = has_long || is_long;
    if (!given) given = host_.argument(*this, option);
  }
  const Value dest = argument_value(arguments, kByName, "dest");
  if (dest.kind == Kind::text) name = dest.ref;
  if (name == kNone) return;
  const Value action = argument_value(arguments, kByName, "action");
  const Argument* stated = argument(arguments, kByName, "default", *this);
  Value value{.kind = Kind::none, .origin = Origin::code};
  if (text_of(action) == "store_true" || text_of(action) == "store_false") {
    value = make_bool(text_of(action) == "store_false");
  }
  if (stated != nullptr) value = stated->value;
  const bool is_left_out = stated != nullptr ? leaves_out(stated->value) : line.leaves_out;
  line.may_lack = line.may_lack || is_left_out;
  const Value type = argument_value(arguments, kByName, "type");
  const std::string_view converts = text_of(type);
  const bool is_number = converts == "int" || converts == "float";
  if (is_number && value.kind != Kind::none) value = *conversion(converts, value);
  if (!given) given = host_.argument(*this, text(name));
  const Value required = argument_value(arguments, kByName, "required");
  if (truth(required) == std::optional<bool>(true)) value = {};  // whatever the default is
  const Value count = argument_value(arguments, kByName, "nargs");
  const bool takes_list =
      argument(arguments, kByName, "nargs", *this) != nullptr && text_of(count) != "?";
  if (given && takes_list && is_number && given->kind == Kind::list) {
    value = make_object(Kind::list);
    value.origin = given->origin;
    value.from = given->from;
    const std::vector<Value> words = objects_[given->ref].items;
    for (const Value& word : words) append(value.ref, *conversion(converts, word));
    objects_[value.ref].open = objects_[given->ref].open;
  } else if (given && takes_list && given->kind == Kind::text) {
    value = {};  // a list, of which one word is known
  } else if (given && takes_any_as_true) {
    const bool is_empty = given->kind == Kind::text && text(given->ref).empty();
    value = given->known() ? make_bool(!is_empty) : Value{};
    value.from = given->from;
  } else if (given) {
    const bool is_text = converts == "str" && given->kind == Kind::integer;  // "4".split("+")
    value = is_number || is_text ? *conversion(converts, *given) : *given;
    // `type=lambda word: getattr(models, word)`: numbers and words stay as they are written.
    const bool is_own = type.kind == Kind::function || type.kind == Kind::method;
    if (is_own && given->kind == Kind::text) {
      const Value made = call(type, {{{kNone, *given, kNoSyntax}}, false}, kNoSyntax);
      if (made.kind == Kind::type || made.kind == Kind::function) value = made;
    }
  } else if (is_left_out) {
    if (host_.knows_option(text(name), Unset::off)) return;
    value = {};
  } else if (value.kind == Kind::boolean && value.integer == 0 && host_.turns_on(text(name))) {
    value = make_bool(true);
  } else if (value.known() && !host_.knows_option(text(name), unset_as(value))) {
    value = {};
  }
  set(parser.ref, name, value, value.from);
}

/// `--batch_size=4` sets the name `batch_size` of a module, to a value of the kind it has.
void Interpreter::set_names_by_options(ObjectId scope) {
  const std::vector<Entry> entries = objects_[scope].entries;
  for (const Entry& entry : entries) {
    if (!entry.value.is_number() && entry.value.kind != Kind::text) continue;
    const std::optional<Value> given = host_.argument(*this, text(entry.key));
    if (!given) continue;
    Value made = *given;
    if (entry.value.kind == Kind::boolean && given->kind == Kind::text) {
      const std::string word = to_lower(text(given->ref));
      made = word == "true" || word == "false" ? make_bool(word == "true") : Value{};
      made.from = given->from;
      made.origin = given->origin;
    } else if (entry.value.kind == Kind::integer || entry.value.kind == Kind::real) {
      made = conversion(entry.value.kind == Kind::real ? "float" : "int", *given).value_or(Value{});
    }
    set(scope, entry.key, made, made.from);
  }
}

/// Keeps how an option is written, for those who hold a command against the parser.
void Interpreter::note_option(CommandLine& line, const Arguments& arguments) {
  CommandOption made;
  line.is_open = line.is_open || arguments.open;
  for (const Argument& each : arguments.list) {
    if (each.name != kNone) continue;
    if (each.value.kind != Kind::text) {
      line.is_open = true;
      continue;
    }
    if (made.names.empty()) made.node = each.node;
    made.names.emplace_back(text(each.value.ref));
  }
  made.module = frames_.back().module;
  const Value action = argument_value(arguments, kByName, "action");
  const std::string_view acts = text_of(action);
  if (acts.ends_with("BooleanOptionalAction")) {
    for (std::size_t i = 0, count = made.names.size(); i < count; ++i) {
      if (made.names[i].starts_with("--")) made.names.push_back("--no-" + made.names[i].substr(2));
    }
  }
  const bool has_action = argument(arguments, kByName, "action", *this) != nullptr;
  const Argument* nargs = argument(arguments, kByName, "nargs", *this);
  made.takes_one = !has_action && nargs == nullptr;
  const bool is_word = !made.names.empty() && !made.names.front().starts_with('-');
  const std::string_view count = nargs == nullptr ? "" : text_of(nargs->value);
  // What stands behind its first word may be anything.
  const bool takes_rest = nargs != nullptr && (!nargs->value.known() || count.ends_with("...") ||
                                               count.ends_with("REMAINDER"));
  line.is_open = line.is_open || takes_rest;
  const std::string_view type = text_of(argument_value(arguments, kByName, "type"));
  if (is_one_of(type, {"int", "float", "bool"})) made.type = type;
  const Value stated = argument_value(arguments, kByName, "default");
  if (stated.kind == Kind::text) made.default_text = text(stated.ref);
  made.is_on = stated.kind == Kind::boolean && stated.integer != 0;
  made.takes_any_as_true = made.takes_one && type == "bool" && line.is_argparse;
  made.refuses_default = made.takes_one && type == "int" && stated.kind == Kind::real &&
                         stated.real != std::floor(stated.real) && line.is_argparse;
  const bool is_number = stated.kind == Kind::integer || stated.kind == Kind::real;
  made.keeps_text = made.takes_one && is_number && line.is_argparse &&
                    argument(arguments, kByName, "type", *this) == nullptr && !arguments.open;
  made.is_switch = acts == "store_true";
  made.turns_off = acts == "store_false" && argument(arguments, kByName, "dest", *this) == nullptr;
  const Argument* action_given = argument(arguments, kByName, "action", *this);
  made.is_plain = action_given == nullptr || acts.starts_with("store") || acts == "append" ||
                  acts.ends_with("BooleanOptionalAction");
  // The parser itself reads the file that this names.
  if (argument(arguments, kByName, "is_config_file", *this) != nullptr) made.is_plain = false;
  const Argument* help = argument(arguments, kByName, "help", *this);
  if (help != nullptr && help->node != kNoSyntax) made.help = source(help->node);
  made.dest = dest_of(made.names, text_of(argument_value(arguments, kByName, "dest")));
  bool all = false;
  for (const Value& item : known_items(argument_value(arguments, kByName, "choices"), all)) {
    if (item.kind == Kind::text) made.choices.emplace_back(text(item.ref));
    if (item.kind == Kind::integer) made.choices.push_back(std::to_string(item.integer));
    all = all && (item.kind == Kind::text || item.kind == Kind::integer);
  }
  if (!all || !(type.empty() || type == "str" || type == "int")) made.choices.clear();
  const Value required = argument_value(arguments, kByName, "required");
  made.is_required = doubts_ == 0 && !is_word && required.kind == Kind::boolean &&
                     required.integer != 0 && !is_switch(acts);
  line.options.push_back(std::move(made));
}

/// Parsers of other libraries read more than the command line.
Value Interpreter::made_parser(std::string_view by, const Arguments& arguments) {
  const Value made = make_object(Kind::instance);
  objects_[made.ref].made_by = intern("argparse.ArgumentParser");
  CommandLine line;
  line.is_argparse = by == "argparse.ArgumentParser";
  line.is_open = arguments.open || !line.is_argparse;
  for (const Argument& each : arguments.list) {
    if (each.name == kNone) continue;
    line.is_open = line.is_open || changes_reading(text(each.name));
    if (text(each.name) == "allow_abbrev") line.may_shorten = truth(each.value).value_or(true);
    if (text(each.name) == "argument_default") line.leaves_out = leaves_out(each.value);
  }
  const Argument* stated = argument(arguments, kByName, "parents", *this);
  const auto parents = items_of(stated == nullptr ? Value{} : stated->value);
  line.is_open = line.is_open || (stated != nullptr && !parents);
  for (const Value& parent : parents ? *parents : std::vector<Value>()) {
    if (parent.has_object()) doubt_groups_of(parent);
    const auto known = command_lines_.find(parent.ref);
    const bool is_parser = parent.kind == Kind::instance && known != command_lines_.end();
    line.is_open =
        line.is_open || !is_parser || known->second.is_open || objects_[parent.ref].is_shared;
    if (is_parser) {
      const std::vector<CommandOption>& own = known->second.options;
      line.options.insert(line.options.end(), own.begin(), own.end());
    }
    if (!parent.has_object()) continue;
    const std::vector<Entry> entries = objects_[parent.ref].entries;
    for (const Entry& entry : entries) set(made.ref, entry.key, entry.value, entry.key_span);
  }
  command_lines_[made.ref] = std::move(line);
  return made;
}

/// `flags.DEFINE_integer("workers", 4, "…")`; what reads the command line is not seen.
void Interpreter::define_option(std::string_view by, const Arguments& arguments) {
  const Value name = argument_value(arguments, 0, "name");
  if (name.kind != Kind::text) return;
  if (!options_.known()) options_ = made_parser(by, {});
  Arguments option;
  Value written = name;
  written.ref = intern("--" + std::string(text(name.ref)));
  option.list.push_back({kNone, written, kNoSyntax});
  if (const Argument* stated = argument(arguments, 1, "default", *this))
    option.list.push_back({intern("default"), stated->value, stated->node});
  const bool is_whole = by.ends_with("_integer");
  if (is_whole || by.ends_with("_float"))
    option.list.push_back({intern("type"), external(is_whole ? "int" : "float"), kNoSyntax});
  add_option(options_, option);
}

/// The program reads its command line, whatever it is started with.
void Interpreter::note_parsing(const Value& parser, const Arguments& arguments) {
  const auto known = command_lines_.find(parser.ref);
  if (known == command_lines_.end() || known->second.is_open || objects_[parser.ref].is_shared ||
      objects_[parser.ref].open || arguments.open || !trials_.empty() || !is_certain())
    return;
  for (const Argument& each : arguments.list) {
    const std::string_view name = each.name == kNone ? "" : text(each.name);
    if (name == "namespace") continue;
    const bool is_whole = each.value.kind == Kind::none ||
                          (each.node != kNoSyntax && source(each.node) == "sys.argv[1:]");
    if ((!name.empty() && name != "args") || !is_whole) return;
  }
  host_.parses(known->second);
}

Value Interpreter::parsed_options(const Value& parser) {
  Value made = make_object(Kind::instance);
  made.origin = Origin::code;
  objects_[made.ref].entries = objects_[parser.ref].entries;
  objects_[made.ref].open = objects_[parser.ref].open;
  return made;
}

/// Of the parsers below another, the one that the command chooses adds to that; where nobody knows
/// the word in front of the options, each does.
Value Interpreter::parser_of_word(const Value& parser, bool is_below, const Arguments& arguments) {
  std::string_view word = host_.subcommand();
  if (word.starts_with('-')) word = {};
  command_lines_[parser.ref].has_commands = word.empty();
  if (!is_below) {
    const Value dest = argument_value(arguments, kByName, "dest");
    if (dest.kind == Kind::text && !word.empty()) set(parser.ref, dest.ref, make_text(word));
    return parser;
  }
  const Value name = argument_value(arguments, 0, "name");
  if (word.empty() || name.kind != Kind::text || text(name.ref) == word) return parser;
  const auto others = items_of(argument_value(arguments, kByName, "aliases"));
  const auto is_word = [&](const Value& each) { return text_of(each) == word; };
  if (others && std::any_of(others->begin(), others->end(), is_word)) return parser;
  const Value other = made_parser("argparse.ArgumentParser", {});
  command_lines_[other.ref].is_open = true;
  return other;
}

std::optional<Value> Interpreter::parser_method(const Value& self, std::string_view name,
                                                Arguments& arguments) {
  if (const auto group = option_groups_.find(self.ref); group != option_groups_.end())
    return group_method(self, group->second, name, arguments);
  if (name.starts_with("parse_")) doubt_groups_of(self);
  if (name == "add_argument") {
    add_option(self, arguments);
    return Value{};
  }
  if (name == "error") return external(running::kFails);
  if (name == "set_defaults") {
    if (arguments.open) forget_entries(self.ref);
    // `set_defaults(run=train)` of several parsers of which nobody knows the one that is chosen.
    for (Argument& each : arguments.list) {
      const Entry* other = each.name == kNone ? nullptr : find(self.ref, each.name);
      if (other != nullptr && command_lines_[self.ref].has_commands)
        each.value = joined(other->value, each.value);
    }
    dict_method(self, "update", arguments);
    const std::vector<Entry> entries = objects_[self.ref].entries;
    for (const Entry& entry : entries) {  // what the command states wins over any default
      if (auto given = host_.argument(*this, text(entry.key)))
        set(self.ref, entry.key, *given, given->from);
    }
    return Value{.kind = Kind::none};
  }
  if (name == "parse_args") {
    note_parsing(self, arguments);
    const Value made = parsed_options(self);
    const CommandLine& line = command_lines_[self.ref];
    objects_[made.ref].is_options = !line.is_open && !line.may_lack && line.is_argparse &&
                                    arguments.list.empty() && !arguments.open &&
                                    !objects_[self.ref].is_shared;
    return made;
  }
  if (name == "parse_known_args") {
    const Value made = make_object(Kind::tuple);
    append(made.ref, parsed_options(self));
    append(made.ref, Value{});
    return made;
  }
  if (name == "add_argument_group") return option_group(self, arguments);
  if (name == "add_mutually_exclusive_group") return self;
  if (name == "add_arguments") {  // of simple_parsing: a class of fields under a name
    command_lines_[self.ref].is_open = true;
    const Value type = argument_value(arguments, 0, "dataclass");
    const Value dest = argument_value(arguments, 1, "dest");
    if (type.kind != Kind::type || dest.kind != Kind::text) return Value{};
    set(self.ref, dest.ref, class_of_config(type, {}, options_of_libraries({type}, {}), kNoSyntax));
    return Value{};
  }
  if (!only_reads(name)) command_lines_[self.ref].is_open = true;
  if (name == "add_subparsers" || name == "add_parser")
    return parser_of_word(self, name == "add_parser", arguments);
  return Value{};
}

}  // namespace gpulint::python
