#include "code/unread_options.h"

#include "base/text.h"
#include "code/code_base.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gpulint {
namespace {

using python::kNoSyntax;
using python::Module;
using python::Syntax;
using python::SyntaxId;
using python::SyntaxNode;
using python::SyntaxTree;

/// Where what was parsed goes: the names that it has in the program's modules, and whether one of
/// them is an argument of a function that does not belong to the project.
class HandedOptions {
 public:
  HandedOptions(const std::vector<const Module*>& modules, const ScriptMarks& marks)
      : modules_(modules), marks_(marks) {
    for (const Module* module : modules_) note_definitions(module->tree);
  }

  bool reach_other_code() {
    constexpr int kMostRounds = 6;  // of names that are given the value of another name
    std::size_t known = 0;
    for (int round = 0; round < kMostRounds && known != names_.size(); ++round) {
      known = names_.size();
      for (const Module* module : modules_) follow(module->tree);
    }
    return is_handed_on_;
  }

 private:
  struct Definition {
    std::vector<std::string> parameters;  // without `self`
    std::string rest;                     // of `**kwargs`
  };

  void note_definitions(const SyntaxTree& tree) {
    for (SyntaxId id = 0; id < tree.size(); ++id) {
      const Syntax kind = tree.node(id).kind;
      if (kind == Syntax::class_type) classes_.emplace(tree.text(id));
      if (kind == Syntax::class_type) note_constructor(tree, id);
      if (kind == Syntax::function)
        definitions_[std::string(tree.text(id))].push_back(of(tree, id));
    }
  }

  void note_constructor(const SyntaxTree& tree, SyntaxId type) {
    const SyntaxId body = tree.child(type, 1);
    if (body == kNoSyntax) return;
    for (SyntaxId at = tree.node(body).first; at != kNoSyntax; at = tree.node(at).next) {
      if (tree.node(at).kind == Syntax::function && tree.text(at) == "__init__")
        definitions_[std::string(tree.text(type))].push_back(of(tree, at));
    }
  }

  static Definition of(const SyntaxTree& tree, SyntaxId function) {
    Definition made;
    const SyntaxId parameters = tree.node(function).first;
    if (parameters == kNoSyntax) return made;
    for (SyntaxId at = tree.node(parameters).first; at != kNoSyntax; at = tree.node(at).next) {
      const auto how = static_cast<python::Parameter>(tree.node(at).op);
      const std::string name(tree.text(at));
      if (how == python::Parameter::keyword_rest) made.rest = name;
      if (how == python::Parameter::keyword_rest || how == python::Parameter::rest) continue;
      if (name != "self" && name != "cls") made.parameters.push_back(name);
    }
    return made;
  }

  void follow(const SyntaxTree& tree) {
    for (SyntaxId id = 0; id < tree.size(); ++id) {
      if (tree.node(id).kind == Syntax::assign) follow_assignment(tree, id);
      if (tree.node(id).kind == Syntax::call) follow_call(tree, id);
    }
  }

  void follow_assignment(const SyntaxTree& tree, SyntaxId id) {
    std::vector<SyntaxId> parts;
    for (SyntaxId at = tree.node(id).first; at != kNoSyntax; at = tree.node(at).next)
      parts.push_back(at);
    if (parts.size() < 2 || !holds(tree, parts.back())) return;
    parts.pop_back();
    for (const SyntaxId target : parts) {
      name_target(tree, target);
      if (tree.node(target).kind != Syntax::tuple || tree.node(target).first == kNoSyntax) continue;
      name_target(tree, tree.node(target).first);  // `args, rest = parser.parse_known_args()`
    }
  }

  void name_target(const SyntaxTree& tree, SyntaxId target) {
    const Syntax kind = tree.node(target).kind;
    if (kind == Syntax::name || kind == Syntax::attribute) names_.emplace(tree.text(target));
  }

  /// What was parsed, or a copy of it.
  bool holds(const SyntaxTree& tree, SyntaxId id) const {
    const SyntaxNode& node = tree.node(id);
    if (node.kind == Syntax::attribute && tree.text(id) == "__dict__")
      return holds(tree, node.first);
    if (node.kind == Syntax::name || node.kind == Syntax::attribute)
      return names_.contains(std::string(tree.text(id)));
    if (node.kind == Syntax::double_star || node.kind == Syntax::star ||
        node.kind == Syntax::keyword)
      return node.first != kNoSyntax && holds(tree, node.first);
    if (node.kind != Syntax::call || node.first == kNoSyntax) return false;
    const std::string_view called = last_name(tree, node.first);
    if (called.find("parse") != called.npos && called.find("arg") != called.npos) return true;
    if (!contains(marks_.keeps, called)) return false;
    for (SyntaxId at = tree.node(node.first).next; at != kNoSyntax; at = tree.node(at).next) {
      if (holds(tree, at)) return true;
    }
    return false;
  }

  void follow_call(const SyntaxTree& tree, SyntaxId id) {
    const SyntaxId function = tree.node(id).first;
    if (function == kNoSyntax) return;  // what a class without bases has in its place
    const std::string_view called = last_name(tree, function);
    std::size_t position = 0;
    for (SyntaxId at = tree.node(function).next; at != kNoSyntax; at = tree.node(at).next) {
      const Syntax kind = tree.node(at).kind;
      if (holds(tree, at)) hand_over(tree, at, called, position);
      if (kind != Syntax::keyword && kind != Syntax::double_star) ++position;
    }
  }

  void hand_over(const SyntaxTree& tree, SyntaxId argument, std::string_view called,
                 std::size_t position) {
    if (contains(marks_.shows, called) || contains(marks_.keeps, called)) return;
    const auto known = definitions_.find(std::string(called));
    const bool is_own = called != "__init__" && (known != definitions_.end() ||
                                                 classes_.contains(std::string(called)));
    if (!is_own) {
      is_handed_on_ = true;
      return;
    }
    if (known == definitions_.end()) return;
    const SyntaxNode& node = tree.node(argument);
    for (const Definition& each : known->second) {
      if (node.kind == Syntax::keyword) {
        names_.emplace(tree.text(argument));
      } else if (node.kind == Syntax::double_star) {
        if (!each.rest.empty()) names_.insert(each.rest);
      } else if (position < each.parameters.size()) {
        names_.insert(each.parameters[position]);
      }
    }
  }

  static std::string_view last_name(const SyntaxTree& tree, SyntaxId function) {
    const Syntax kind = tree.node(function).kind;
    return kind == Syntax::name || kind == Syntax::attribute ? tree.text(function)
                                                             : std::string_view();
  }

  const std::vector<const Module*>& modules_;
  const ScriptMarks& marks_;
  std::unordered_map<std::string, std::vector<Definition>> definitions_;
  std::unordered_set<std::string> classes_;
  std::unordered_set<std::string> names_ = {"args", "opt", "opts", "FLAGS"};
  bool is_handed_on_ = false;
};

/// Names that nobody can tell: `globals().update(vars(args))`, `exec(f"{key} = ...")`.
bool makes_names(const Module& module) {
  constexpr std::array<std::string_view, 4> kWords = {"globals()", "locals()", "exec(", "eval("};
  if (module.tree.errors() > 0) return true;
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    for (std::size_t at = module.text.find(word); at != module.text.npos;
         at = module.text.find(word, at + 1)) {
      // `model.eval()` is no such call.
      const char before = at == 0 ? ' ' : module.text[at - 1];
      if (before != '.' && !is_name_part(before)) return true;
    }
    return false;
  });
}

/// Its help says that nothing happens.
bool is_excused(const ProgramOption& option) {
  constexpr std::array<std::string_view, 14> kWords = {
      "deprecat", "unused",   "not used", "ignored",     "legacy",        "compat",   "no effect",
      "reserved", "placehol", "obsolete", "no longer",   "not implement", "SUPPRESS", "dummy"};
  const std::string help = to_lower(option.help);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return help.find(word) != help.npos || option.help.find(word) != option.help.npos;
  });
}

/// `python a/b.py` or "a.b": the text may start or import the file.
bool names_file(std::string_view text, std::string_view file) {
  const std::string_view stem = file.substr(0, file.rfind('.'));
  for (std::size_t at = text.find(stem); at != text.npos; at = text.find(stem, at + 1)) {
    const std::size_t end = at + stem.size();
    const bool is_word = at == 0 || !is_name_part(text[at - 1]);
    const char next = end < text.size() ? text[end] : ' ';
    if (is_word && (next == '"' || next == '\'' || text.substr(at).starts_with(file))) return true;
  }
  return false;
}

/// Code that this program may run or import, its own modules apart. Programs with a command line of
/// their own that it does not name read their own options, not its.
std::vector<const Module*> other_code(CodeBase& code, const std::string& root,
                                      const ProgramOptions& options) {
  std::vector<const Module*> others;
  const auto is_own = [&](const Module* module) {
    return std::find(options.modules.begin(), options.modules.end(), module) !=
           options.modules.end();
  };
  for (const std::string& path : code.python_files(root, "")) {
    const Module* module = code.module(root, path);
    if (module == nullptr || is_own(module)) continue;
    const auto says = [&](std::string_view word) { return module->text.find(word) != word.npos; };
    const bool is_program = says("__main__") && says("parse_args(");
    const std::string_view name = file_name(path);
    const bool is_named =
        std::any_of(options.modules.begin(), options.modules.end(), [&](const Module* each) {
          return names_file(each->text, name);
        });
    if (!is_program || is_named) others.push_back(module);
  }
  return others;
}

/// Which options some code may read. The words of all code are told once for a project; where only
/// another program reads a name, its own modules tell.
class OptionReaders {
 public:
  OptionReaders(CodeBase& code, const std::string& root, const ProgramOptions& options)
      : code_(code), root_(root), options_(options), all_(code.key_words(root, "")) {}

  bool may_read(const std::string& name) {
    if (all_ == nullptr) return true;
    if (!all_->may_read(name)) return false;
    if (!own_) add_words(own_.emplace(), options_.modules);
    if (own_->may_read(name)) return true;
    if (!others_) add_words(others_.emplace(), other_code(code_, root_, options_));
    return others_->may_read(name);
  }

 private:
  void add_words(KeyWords& words, const std::vector<const Module*>& modules) const {
    OptionReading how;
    how.are_unpacked = std::any_of(modules.begin(), modules.end(), unpacks_options);
    for (const std::string& path : code_.python_files(root_, "")) {
      for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = std::string_view(path).substr(begin, end - begin);
        how.project.emplace(part.substr(0, part.rfind(".py")));
        begin = end + 1;
      }
    }
    for (const Module* module : modules) add_option_words(*module, how, words);
  }

  /// What was parsed becomes a mapping, whose items may become arguments.
  static bool unpacks_options(const Module* module) {
    const auto says = [&](std::string_view word) { return module->text.find(word) != word.npos; };
    return says("vars(") || says("__dict__") || says("_get_kwargs");
  }

  CodeBase& code_;
  const std::string& root_;
  const ProgramOptions& options_;
  const KeyWords* all_;
  std::optional<KeyWords> own_;     // of the program and what it imports
  std::optional<KeyWords> others_;  // of what it may run besides
};

}  // namespace

std::vector<SourceSpan> unread_options(CodeBase& code, const std::string& root,
                                       const ProgramOptions& options) {
  std::vector<SourceSpan> unread;
  if (options.seen.empty() || options.modules.empty()) return unread;
  if (std::any_of(options.modules.begin(), options.modules.end(),
                  [](const Module* each) { return makes_names(*each); }))
    return unread;
  const ScriptMarks& marks = code.consumers().scripts();
  if (HandedOptions(options.modules, marks).reach_other_code()) return unread;
  OptionReaders readers(code, root, options);
  for (const ProgramOption& option : options.seen) {
    const bool is_launchers = contains(marks.launcher_options, option.dest);
    const bool is_named = !option.names.empty() && option.names.front().starts_with('-');
    if (!option.is_plain || is_launchers || !is_named || is_excused(option) ||
        option.dest.empty() || !option.place.known() || readers.may_read(option.dest))
      continue;
    unread.push_back(option.place);
  }
  std::sort(unread.begin(), unread.end(), [](const SourceSpan& a, const SourceSpan& b) {
    return std::pair(a.file, a.begin) < std::pair(b.file, b.begin);
  });
  return unread;
}

}  // namespace gpulint
