#include "code/program_options.h"

#include "base/text.h"
#include "code/code_base.h"
#include "python/interpreter.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace gpulint {
namespace {

/// The command line may have been changed before it is parsed: `sys.argv` is more than looked at.
bool changes_words(std::string_view text) {
  constexpr std::string_view kWords = "sys.argv";
  for (std::size_t at = text.find(kWords); at != text.npos; at = text.find(kWords, at + 1)) {
    std::string_view behind = text.substr(at + kWords.size());
    for (const std::string_view part : {"[1:]", "[0]"}) {
      if (!behind.starts_with(part)) continue;
      behind.remove_prefix(part.size());
      break;
    }
    while (behind.starts_with(' ')) behind.remove_prefix(1);
    const bool is_set = behind.starts_with('=') && !behind.starts_with("==");
    if (is_set || behind.starts_with('.') || behind.starts_with('[') || behind.starts_with('+'))
      return true;
  }
  return false;
}

bool imports_by_name(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords = {"importlib", "__import__", "pkgutil",
                                                      "listdir", "entry_points"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Code that gives options another default, or lays a file over what was parsed.
bool changes_defaults(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {
      "set_defaults", "__dict__.update", "__dict__[", "vars(args)[", "vars(args).update",
      "setattr(args", "setattr(opt",     "setattr(c", "parse_args(["};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// "amp" of "use_amp"
std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : {"use_", "enable_", "with_", "do_"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

/// `args.name = ...`, and not `self.name = ...`
bool assigns(std::string_view text, const std::string& name) {
  const std::string word = "." + name;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    std::size_t end = at + word.size();
    while (end < text.size() && text[end] == ' ') ++end;
    const bool is_set = text.substr(end).starts_with('=') && !text.substr(end).starts_with("==");
    if (is_set && !text.substr(0, at).ends_with("self")) return true;
  }
  return false;
}

ProgramOption option_of(const python::CommandOption& each) {
  ProgramOption made;
  made.names = each.names;
  made.dest = each.dest;
  made.type = each.type;
  made.choices = each.choices;
  made.takes_one = each.takes_one;
  made.is_required = each.is_required;
  made.takes_any_as_true = each.takes_any_as_true;
  made.refuses_default = each.refuses_default;
  made.keeps_text = each.keeps_text;
  made.is_switch = each.is_switch;
  made.turns_off = each.turns_off;
  made.is_plain = each.is_plain;
  made.default_text = each.default_text;
  made.help = each.help;
  made.is_stuck = each.is_on && (each.is_switch || each.takes_any_as_true);
  if (each.node == python::kNoSyntax) return made;
  const python::SyntaxNode& node = each.module->tree.node(each.node);
  made.place = {each.module->file, node.begin, node.end};
  return made;
}

/// Runs the program with options nobody knows, up to where it reads its command line.
class OptionsReader final : public python::Host {
 public:
  OptionsReader(CodeBase& code, const std::string& root, const std::string& program)
      : code_(code), root_(root), program_(program) {}

  ProgramOptions read() {
    const python::Module* main = module(program_);
    if (main == nullptr) return {};
    const std::string top = root_ == "." ? "" : root_;
    python::Interpreter in(*this, {std::string(parent_path(program_)), top, join_path(top, "src")});
    in.run(*main, true);
    if (in.truncated()) found_.is_known = false;
    for (const python::Module* each : modules_) {
      if (each->tree.errors() > 0 || changes_words(each->text)) found_.is_known = false;
      found_.may_import_more = found_.may_import_more || imports_by_name(each->text);
    }
    for (ProgramOption& option : found_.seen) option.is_stuck = option.is_stuck && stays(option);
    std::erase_if(found_.lacks,
                  [&](const ProgramOptions::Lack& each) { return may_get(each.name); });
    found_.modules.assign(modules_.begin(), modules_.end());
    return std::move(found_);
  }

  const python::Module* module(const std::string& path) override {
    const python::Module* found = code_.module(root_, path);
    if (found != nullptr) modules_.insert(found);
    return found;
  }
  bool is_folder(const std::string& path) override { return code_.is_folder(path); }
  python::Behaviour behaviour(std::string_view name) override {
    return code_.consumers().behaviour(name);
  }
  std::optional<python::Value> load(python::Interpreter&, const python::Value&,
                                    std::string_view) override {
    return std::nullopt;
  }
  std::optional<python::Value> entry_config(python::Interpreter&,
                                            std::span<const python::Argument>) override {
    is_entry_ = true;  // its decorator reads the command line
    return std::nullopt;
  }
  bool knows_option(std::string_view, python::Unset) override { return false; }
  void called(python::Interpreter& in, const python::Call& call) override {
    const std::string_view last = call.name.substr(call.name.rfind('.') + 1);
    // What is only shown stays as it is; `init` of a library may change what it is given.
    if (last != "init" && contains(code_.consumers().scripts().shows, last)) return;
    for (const python::Argument& each : call.arguments) in.share(each.value);
  }
  void looped(python::Interpreter&, const python::Loop&) override {}

  void parses(const python::CommandLine& line) override {
    if (found_.is_known || is_entry_) return;
    found_.is_known = true;
    found_.may_shorten = line.may_shorten;
    for (const python::CommandOption& each : line.options)
      found_.options.push_back(option_of(each));
  }

  void lacks_option(std::string_view name, const python::Module& module,
                    python::SyntaxId at) override {
    const python::SyntaxNode& node = module.tree.node(at);
    if (found_.lacks.empty())
      found_.lacks.push_back({std::string(name), {module.file, node.begin, node.end}});
  }

  void loads_plainly(std::string_view name, const python::Module& module,
                     python::SyntaxId at) override {
    for (const std::string& each : code_.consumers().scripts().second_arguments) {
      if (split(each, ' ').front() != name || !found_.bare_calls.empty()) continue;
      const python::SyntaxNode& node = module.tree.node(at);
      found_.bare_calls.push_back({each, {module.file, node.begin, node.end}});
    }
  }

  void adds(const python::CommandOption& option) override {
    ProgramOption made = option_of(option);
    const auto is_same = [&](const ProgramOption& each) { return each.place == made.place; };
    if (std::none_of(found_.seen.begin(), found_.seen.end(), is_same))
      found_.seen.push_back(std::move(made));
  }

 private:
  /// Code gives what was parsed an attribute of that name.
  bool may_get(const std::string& name) const {
    return std::any_of(modules_.begin(), modules_.end(), [&](const python::Module* each) {
      const std::string& text = each->text;
      return each->tree.errors() > 0 || changes_defaults(text) || assigns(text, name) ||
             text.find('"' + name + '"') != text.npos || text.find('\'' + name + '\'') != text.npos;
    });
  }

  /// No other option and no line of the code changes what an option says.
  bool stays(const ProgramOption& option) const {
    // `--no-amp` beside `--use-amp`, whatever its attribute is called.
    const std::string end = "_" + std::string(without_prefix(option.dest));
    const auto is_alike = [&](const ProgramOption& each) {
      return each.dest == option.dest || each.dest.ends_with(end);
    };
    const auto is_own = [&](const ProgramOption& each) { return each.place == option.place; };
    if (std::any_of(found_.seen.begin(), found_.seen.end(), [&](const ProgramOption& each) {
          return is_alike(each) && !is_own(each);
        }))
      return false;
    return std::none_of(modules_.begin(), modules_.end(), [&](const python::Module* each) {
      return changes_defaults(each->text) || assigns(each->text, option.dest);
    });
  }

  CodeBase& code_;
  const std::string& root_;
  const std::string& program_;
  std::set<const python::Module*> modules_;
  bool is_entry_ = false;
  ProgramOptions found_;
};

bool is_short(std::string_view flag) { return flag.size() > 1 && flag[0] == '-' && flag[1] != '-'; }

}  // namespace

const ProgramOption* ProgramOptions::find(std::string_view flag) const {
  const auto named = [&](const auto& matches) -> const ProgramOption* {
    for (const ProgramOption& option : options) {
      if (std::any_of(option.names.begin(), option.names.end(), matches)) return &option;
    }
    return nullptr;
  };
  if (const auto* same = named([&](const std::string& name) { return name == flag; })) return same;
  // `-n4` and the beginning of a name, as argparse takes them.
  if (is_short(flag)) {
    const auto* letter = named([&](const std::string& name) {
      return name.size() == 2 && is_short(name) && flag.starts_with(name);
    });
    if (letter != nullptr) return letter;
  }
  if (!may_shorten) return nullptr;
  return named([&](const std::string& name) { return name.starts_with(flag); });
}

const ProgramOption* ProgramOptions::find_seen(std::string_view name) const {
  const ProgramOption* found = nullptr;
  for (const ProgramOption& option : seen) {
    if (!contains(option.names, name)) continue;
    if (found != nullptr) return nullptr;
    found = &option;
  }
  return found;
}

ProgramOptions read_program_options(CodeBase& code, const std::string& root,
                                    const std::string& program) {
  return OptionsReader(code, root, program).read();
}

}  // namespace gpulint
