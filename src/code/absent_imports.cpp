#include "code/absent_imports.h"

#include "base/text.h"
#include "code/code_base.h"
#include "python/words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

using python::kNoSyntax;
using python::Module;
using python::Syntax;
using python::SyntaxId;
using python::SyntaxNode;

constexpr std::size_t kMostVisited = 200;  // modules of one program

/// Where it looks for modules, or what they are made of, it decides by itself.
bool decides_imports(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {
      "sys.path", "site.addsitedir", "sys.modules", "meta_path", "__path__", "PYTHONPATH"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// A module may get names in ways that nobody sees.
bool may_get_names(const Module& module) {
  constexpr std::array<std::string_view, 6> kWords = {"import *", "__getattr__", "globals()",
                                                      "setattr(", "exec(",       "locals()"};
  return module.tree.errors() > 0 ||
         std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return module.text.find(word) != std::string::npos;
         });
}

class ImportWalk {
 public:
  ImportWalk(CodeBase& code, const std::string& root, const std::string& program)
      : code_(code),
        root_(root),
        top_(root == "." ? "" : root + "/"),
        here_(folder_before(program)) {
    visit(program);
  }

  std::vector<AbsentImport> find() && {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const std::string path = waiting_[i];
      const Module* module = code_.module(root_, path);
      if (module == nullptr || module->tree.errors() > 0) continue;
      if (waiting_.size() > kMostVisited || decides_imports(module->text)) return {};
      follow(*module, path);
    }
    // Another package of that name comes first where the project's is a plain folder.
    std::erase_if(met_, [&](const Met& each) {
      return (each.is_loose && !is_own(each.top)) || (each.is_beside && starts_above_);
    });
    std::vector<AbsentImport> found;
    for (Met& each : met_) found.push_back(std::move(each.import));
    return found;
  }

 private:
  struct Met {
    AbsentImport import;
    std::string top;        // the folder or file of the first name
    bool is_loose = false;  // it is no package
    bool is_beside = false;  // it was found beside a program that lies in a folder
  };

  static std::string folder_before(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? std::string() : std::string(path.substr(0, slash + 1));
  }

  void visit(std::string path) {
    if (visited_.insert(path).second) waiting_.push_back(std::move(path));
  }

  void follow(const Module& module, const std::string& path) {
    const python::SyntaxTree& tree = module.tree;
    if (tree.root() == kNoSyntax) return;
    for (SyntaxId at = tree.node(tree.root()).first; at != kNoSyntax; at = tree.node(at).next) {
      const SyntaxNode& statement = tree.node(at);
      if (statement.kind == Syntax::raise) return;
      if (statement.kind == Syntax::import) {
        for (SyntaxId alias = statement.first; alias != kNoSyntax; alias = tree.node(alias).next)
          meet(module, path, alias, tree.text(alias), 0, {});
      } else if (statement.kind == Syntax::import_from) {
        std::vector<std::string_view> names;
        for (SyntaxId alias = statement.first; alias != kNoSyntax; alias = tree.node(alias).next)
          names.push_back(tree.text(alias));
        meet(module, path, at, tree.text(at), statement.op, names);
      }
    }
  }

  /// `names`: what is taken from the module; empty: nothing.
  void meet(const Module& module, const std::string& path, SyntaxId at, std::string_view dotted,
            unsigned dots, const std::vector<std::string_view>& names) {
    std::vector<std::string_view> parts = split(dotted, '.');
    if (dotted.empty()) parts.clear();
    const std::optional<std::string> base = dots > 0 ? around(path, dots) : base_of(parts.front());
    if (!base) return;
    const SyntaxNode& node = module.tree.node(at);
    Met made;
    made.import.name = std::string(dots, '.') + std::string(dotted);
    made.import.place = {module.file, node.begin, node.end};
    made.top = parts.empty() ? *base : *base + std::string(parts.front());
    made.is_beside = dots == 0 && *base == here_ && here_ != top_;
    made.is_loose = dots == 0 && !has_init(made.top) && !is_module(made.top);
    std::string place = *base;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      place += std::string(parts[i]);
      const bool is_last = i + 1 == parts.size();
      if (is_module(place) && !code_.is_folder(place)) {
        if (!is_last) return;  // it may make itself a package
        own_.insert(made.top);
        visit(place + ".py");
        if (dots > 0 || !is_elsewhere(parts, parts.size(), place + ".py"))
          take_names(place + ".py", names, made);
        return;
      }
      if (!code_.is_folder(place)) {
        if (is_built(place) || (dots == 0 && is_elsewhere(parts, i + 1))) return;
        made.import.file = place;
        met_.push_back(std::move(made));
        return;
      }
      place += "/";
      if (is_module(place + "__init__")) visit(place + "__init__.py");
    }
    if (has_init(made.top)) own_.insert(made.top);
    if (dots > 0 || !is_elsewhere(parts, parts.size(), place)) take_members(place, names, made);
  }

  /// What a module defines.
  void take_names(const std::string& path, const std::vector<std::string_view>& names, Met made) {
    const Module* module = code_.module(root_, path);
    if (module == nullptr || may_get_names(*module) || decides_imports(module->text)) return;
    const std::vector<std::string_view> words = python::words_of(module->text);
    for (const std::string_view name : names) {
      const bool is_there = name == "*" || name.starts_with("__") ||
                            std::find(words.begin(), words.end(), name) != words.end();
      if (is_there) continue;
      made.import.file = path;
      made.import.lacks = std::string(name);
      met_.push_back(made);
      return;
    }
  }

  /// What a package defines, and the modules in it.
  void take_members(const std::string& place, const std::vector<std::string_view>& names,
                    Met made) {
    const bool has_code = is_module(place + "__init__");
    for (const std::string_view name : names) {
      const std::string below = place + std::string(name);
      if (name == "*" || code_.is_folder(below) || is_built(below)) continue;
      if (is_module(below)) {
        own_.insert(made.top);
        visit(below + ".py");
      } else if (has_code) {
        take_names(place + "__init__.py", {name}, made);
      } else {
        made.import.name += made.import.name.ends_with('.') ? "" : ".";
        made.import.name += std::string(name);
        made.import.file = below;
        met_.push_back(made);
        return;
      }
    }
  }

  /// The folder that a name is looked up in: that of the program, or the root for a package that
  /// the program is part of or that is installed from there.
  std::optional<std::string> base_of(std::string_view first) {
    const auto has = [&](const std::string& base) {
      const std::string place = base + std::string(first);
      return is_module(place) || code_.is_folder(place);
    };
    // A program that imports from its own folder by the folder's name is started above that.
    const bool names_own_folder =
        !here_.empty() && ("/" + here_).ends_with("/" + std::string(first) + "/");
    starts_above_ = starts_above_ || (names_own_folder && !has(here_));
    if (has(here_)) return here_;
    const std::string whole = top_ + std::string(first) + "/";
    const bool is_part = here_.starts_with(whole);
    const bool is_installed = code_.is_file(top_ + "setup.py") ||
                              code_.is_file(top_ + "pyproject.toml") ||
                              code_.is_file(top_ + "setup.cfg");
    for (const char* below : {"", "src/"}) {
      const std::string base = top_ + below;
      const bool is_package = has_init(base + std::string(first));
      if (has(base) && (is_part || is_installed) && is_package) return base;
    }
    return std::nullopt;
  }

  /// Another folder of the project has the first parts of a dotted name as well: started from
  /// there, the program takes those. `but`: one that is known.
  bool is_elsewhere(const std::vector<std::string_view>& parts, std::size_t count,
                    std::string_view but = {}) const {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) path += (i == 0 ? "" : "/") + std::string(parts[i]);
    const auto has = [&](const std::string& each) {
      if (!but.empty() && each.starts_with(but)) return false;
      const std::string inside = "/" + each;
      return inside.find("/" + path + "/") != inside.npos || inside.ends_with("/" + path + ".py");
    };
    const std::vector<std::string>& files = files_of_project();
    return std::any_of(files.begin(), files.end(), has);
  }

  const std::vector<std::string>& files_of_project() const {
    if (!files_) files_ = code_.python_files(root_, "");
    return *files_;
  }

  /// `..name` of a module: the folder that the dots lead to.
  std::optional<std::string> around(const std::string& path, unsigned dots) const {
    std::string folder = folder_before(path);
    for (unsigned i = 1; i < dots; ++i) {
      if (folder.empty() || folder == top_) return std::nullopt;
      folder.pop_back();
      folder = folder_before(folder);
    }
    return folder;
  }

  bool is_module(const std::string& place) const { return code_.is_file(place + ".py"); }
  bool has_init(const std::string& folder) const { return is_module(folder + "/__init__"); }

  /// What something else than Python defines, or what is made when the project is installed.
  bool is_built(const std::string& place) const {
    for (const char* ending : {".pyx", ".so", ".pyd", ".pyi", ".cpp", ".cu", ".c", ".proto"}) {
      if (code_.is_file(place + ending)) return true;
    }
    const std::string name(file_name(place));
    const bool is_made = name.ends_with("_pb2") || name.ends_with("_pb2_grpc") ||
                         name.find("version") != name.npos || name.starts_with('_');
    if (is_made) return true;
    return std::any_of(setups().begin(), setups().end(), [&](const std::string* text) {
      return text->find("xtension") != std::string::npos && text->find(name) != std::string::npos;
    });
  }

  const std::vector<const std::string*>& setups() const {
    if (!setups_) {
      setups_.emplace();
      for (const char* name : {"setup.py", "build.py"}) {
        for (const std::string& path : code_.python_files_called(root_, name)) {
          const Module* module = code_.module(root_, path);
          if (module != nullptr) setups_->push_back(&module->text);
        }
      }
    }
    return *setups_;
  }

  /// Something else of the folder was found, and no requirement has its name.
  bool is_own(const std::string& top) const {
    const std::string folder = root_.empty() ? "." : root_;
    return own_.contains(top) && code_.requirements(folder, file_name(top)).empty();
  }

  CodeBase& code_;
  const std::string& root_;
  const std::string top_;
  const std::string here_;
  std::set<std::string> visited_;
  std::vector<std::string> waiting_;
  std::set<std::string> own_;
  std::vector<Met> met_;
  bool starts_above_ = false;
  mutable std::optional<std::vector<const std::string*>> setups_;
  mutable std::optional<std::vector<std::string>> files_;
};

}  // namespace

std::vector<AbsentImport> find_absent_imports(CodeBase& code, const std::string& root,
                                              const std::string& program) {
  return ImportWalk(code, root, program).find();
}

}  // namespace gpulint
