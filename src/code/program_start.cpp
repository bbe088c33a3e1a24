// What a program is started with: its options, the word in front of them, and its environment, as
// far as its command says.

#include "base/text.h"
#include "code/config_host.h"
#include "code/config_value.h"
#include "code/program_options.h"
#include "code/training_switches.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;
using python::Value;

/// `args.do_train`, which is no call.
bool reads_switch(std::string_view text, std::string_view name) {
  const std::string written = "." + std::string(name);
  for (std::size_t at = text.find(written); at != text.npos; at = text.find(written, at + 1)) {
    const std::size_t end = at + written.size();
    if (end == text.size() || (!is_name_part(text[end]) && text[end] != '(')) return true;
  }
  return false;
}

/// Programs that prune, predict or convert parse a trainer's arguments too: one trains if a switch
/// turns that on, or else if its name says so, or it has a trainer and asks for no switch.
bool may_train(const Document& options, const python::Module& script, const ScriptMarks& marks) {
  if (const std::optional<bool> switched = trains_by_switch(options, marks)) return *switched;
  if (has_any(to_lower(stem_of(script.path)), marks.training_names)) return true;
  const std::vector<std::string>& switches = marks.training_switches;
  return has_any(script.text, marks.steps) &&
         std::none_of(switches.begin(), switches.end(), [&](const std::string& name) {
           return reads_switch(script.text, name);
         });
}

}  // namespace

std::optional<Value> ConfigHost::argument(Interpreter& in, std::string_view name) {
  is_alike_ = false;
  if (request_.arguments == nullptr) return config_option(in, name);
  const Document& given = *request_.arguments;
  for (const Member& member : given.members(given.root())) {
    std::string key(given.scalar(given.resolve(member.key)));
    std::replace(key.begin(), key.end(), '-', '_');
    if (key != name) continue;
    made_.taken.insert(key);
    return config_value(in, given, member.value);
  }
  if (request_.script.empty()) return config_option(in, name);
  const NodeId shortened = shortened_option(name);
  if (shortened == kNoNode) return joined_option(name);
  made_.taken.insert(std::string(name));
  return config_value(in, given, shortened);
}

/// `-b16`: a name of one letter and its value in one word.
std::optional<Value> ConfigHost::joined_option(std::string_view name) {
  if (name.size() != 1) return std::nullopt;
  const Document& given = *request_.arguments;
  for (const Member& member : given.members(given.root())) {
    const NodeId written = given.resolve(member.key);
    const std::string_view key = given.scalar(written);
    const std::string_view text = given.text_at(given.span(written));
    const bool is_joined = key.size() > 1 && key.front() == name.front() && !text.starts_with("--");
    const std::optional<double> number =
        is_joined ? lenient_number(key.substr(1)) : std::nullopt;
    if (!number) continue;
    made_.taken.insert(std::string(key));
    Value made;
    made.kind = key.find('.') == key.npos ? Kind::integer : Kind::real;
    made.integer = made.kind == Kind::integer ? static_cast<std::int64_t>(*number) : 0;
    made.real = *number;
    made.origin = python::Origin::given;
    made.from = given.span(written);
    made.from.begin = made.from.end - static_cast<std::uint32_t>(key.size() - 1);
    return made;
  }
  return std::nullopt;
}

/// `--batch` for `--batch-size`, where that is the only option it begins.
NodeId ConfigHost::shortened_option(std::string_view name) const {
  const Document& given = *request_.arguments;
  const ProgramOptions& options = request_.code->options_of(request_.root, request_.script);
  if (!options.is_known) return kNoNode;
  const auto is_meant = [&](std::string written) {
    written.erase(0, written.find_first_not_of('-'));
    std::replace(written.begin(), written.end(), '-', '_');
    return written == name;
  };
  for (const Member& member : given.members(given.root())) {
    const std::string_view key = given.scalar(given.resolve(member.key));
    if (key.size() == 1 || key.size() >= name.size()) continue;  // `-v` is a name of its own
    const ProgramOption* option = options.find("--" + std::string(key));
    if (option != nullptr && std::any_of(option->names.begin(), option->names.end(), is_meant))
      return member.value;
  }
  return kNoNode;
}

std::optional<std::vector<python::Argument>> ConfigHost::given_options(Interpreter& in) {
  is_alike_ = false;
  std::vector<python::Argument> made;
  if (setting_.looks_only) return made;
  if (request_.arguments == nullptr)
    return made_.loads_config ? std::optional(std::move(made)) : std::nullopt;
  const Document& given = *request_.arguments;
  for (const Member& member : given.members(given.root())) {
    std::string key(given.scalar(given.resolve(member.key)));
    std::replace(key.begin(), key.end(), '-', '_');
    made.push_back({in.intern(key), config_value(in, given, member.value), python::kNoSyntax});
  }
  const ScriptMarks& marks = request_.code->consumers().scripts();
  const python::Module* script = request_.code->module(request_.root, script_.path);
  const bool trains = script != nullptr && may_train(given, *script, marks);
  return trains ? std::optional(std::move(made)) : std::nullopt;
}

bool ConfigHost::knows_option(std::string_view name, python::Unset how) {
  is_alike_ = false;
  made_.has_empty_option = made_.has_empty_option || how == python::Unset::empty;
  made_.has_switch = made_.has_switch || how == python::Unset::off;
  const bool is_text = how == python::Unset::text;
  const bool is_opened = (setting_.opens_switches && how != python::Unset::value && !is_text) ||
                         (setting_.opens_empty && how == python::Unset::empty) ||
                         (setting_.opens_texts && is_text);
  if (request_.may_have_more) return false;
  // A launcher of several processes gives each of them its rank.
  const ScriptMarks& marks = request_.code->consumers().scripts();
  if (request_.arguments != nullptr && !request_.environment.ranks.empty() &&
      contains(marks.launcher_options, std::string(name))) {
    return false;
  }
  return (setting_.knows_options && !is_opened) || names_a_config_option(name);
}

bool ConfigHost::turns_on(std::string_view name) {
  is_alike_ = false;
  const ScriptMarks& marks = request_.code->consumers().scripts();
  if (request_.arguments != nullptr || !contains(marks.training_switches, std::string(name)))
    return false;
  made_.has_training_switch = true;
  return setting_.turns_training_on;
}

std::string_view ConfigHost::subcommand() {
  is_alike_ = false;
  return request_.subcommand;
}

/// The only one that is called `train`, or else whose name says so: `train-model`.
std::string_view ConfigHost::meant(std::span<const std::string_view> commands) {
  is_alike_ = false;
  if (request_.arguments != nullptr) return {};
  const ScriptMarks& marks = request_.code->consumers().scripts();
  const auto only = [&](auto is_meant) {
    const auto found = std::find_if(commands.begin(), commands.end(), is_meant);
    const bool is_one =
        found != commands.end() && std::none_of(found + 1, commands.end(), is_meant);
    return is_one ? *found : std::string_view();
  };
  const std::string_view named =
      only([&](std::string_view each) { return contains(marks.training_names, to_lower(each)); });
  return !named.empty() ? named : only([&](std::string_view each) {
    return has_any(to_lower(each), marks.training_names) &&
           !has_any(to_lower(each), marks.other_names);
  });
}

std::optional<Value> ConfigHost::environment(Interpreter& in) {
  const ProgramEnvironment& known = request_.environment;
  if (setting_.looks_only || known.document == nullptr) return std::nullopt;
  is_alike_ = false;
  const Value made = in.make_object(Kind::dict);
  if (known.variables != kNoNode) {
    for (const Member& member : known.document->members(known.variables)) {
      const std::string_view name = known.document->scalar(known.document->resolve(member.key));
      Value value = config_value(in, *known.document, member.value);
      if (value.known())  // whatever is written, it is text
        value = in.make_text(known.document->scalar(known.document->resolve(member.value)),
                             value.from, python::Origin::given);
      in.set(made.ref, in.intern(name), value);
    }
  }
  for (const auto& [name, value] : known.first)
    in.set(made.ref, in.intern(name), in.make_text(value));
  for (const std::string& name : known.ranks)
    in.set(made.ref, in.intern(name), {.kind = Kind::devices, .integer = python::kRanks});
  return made;
}

bool ConfigHost::is_unset(std::string_view variable) {
  return contains(request_.environment.unset, variable);
}

bool ConfigHost::is_left_to_default(std::string_view variable) {
  if (!setting_.knows_options) return false;
  const std::vector<std::string>& everywhere = request_.code->consumers().scripts().set_everywhere;
  const auto is_meant = [&](const std::string& pattern) { return glob_match(pattern, variable); };
  return std::none_of(everywhere.begin(), everywhere.end(), is_meant) &&
         !request_.code->may_set(request_.root, variable);
}

/// `{"lr": {"desc": "...", "value": 0.1}}`: each key with its value.
std::optional<Value> ConfigHost::default_config(Interpreter& in, std::string_view call) {
  for (const std::string_view entry : request_.code->consumers().scripts().default_configs) {
    const std::vector<std::string_view> words = split(entry, ' ');
    if (words.size() != 2 || words[0] != call) continue;
    const std::optional<Value> loaded = load(in, in.make_text(words[1]), call);
    if (!loaded || loaded->kind != Kind::dict) return std::nullopt;
    const Value made = in.make_object(Kind::dict);
    const std::vector<python::Entry> entries = in.object(loaded->ref).entries;
    for (const python::Entry& each : entries) {
      if (each.value.kind != Kind::dict) continue;
      for (const python::Entry& part : std::vector(in.object(each.value.ref).entries))
        if (in.text(part.key) == "value") in.set(made.ref, each.key, part.value, each.key_span);
    }
    return made;
  }
  return std::nullopt;
}

}  // namespace gpulint
