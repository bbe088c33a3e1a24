#include "code/dotted_names.h"

#include "base/text.h"
#include "code/code_base.h"
#include "python/words.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kMostSearched = 5'000;  // of a project; more are not looked through

bool is_dotted(std::string_view path) {
  const bool is_plain =
      std::all_of(path.begin(), path.end(), [](char c) { return is_name_part(c) || c == '.'; });
  return is_plain && path.find('.') != path.npos && path.find("..") == path.npos &&
         !path.starts_with('.') && !path.ends_with('.');
}

/// A module may make names in ways nobody sees.
bool may_have_any_name(const python::Module& module) {
  constexpr std::array<std::string_view, 7> kWords = {
      "import *", "__getattr__", "globals()", "setattr(", "sys.modules", "exec(", "__path__"};
  return module.tree.errors() > 0 ||
         std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return module.text.find(word) != std::string::npos;
         });
}

class NameFinder {
 public:
  NameFinder(CodeBase& code, const std::string& root, std::string_view dotted)
      : code_(code),
        root_(root),
        top_(root == "." ? "" : root + "/"),
        parts_(split(dotted, '.')),
        files_(code.python_files(root, "")) {}

  DottedName find() {
    if (files_.empty() || files_.size() > kMostSearched) return {};
    DottedName made;
    bool is_importable = false;
    for (const std::string& base : bases()) {
      const State state = state_below(base, made.where);
      if (state == State::there) return {};
      // Where a folder is no package, an installed one of its name comes first.
      is_importable = is_importable || (state == State::absent && is_on_path(base));
    }
    if (!is_importable || chooses_import_roots()) return {};
    made.is_absent = true;
    made.elsewhere = elsewhere();
    return made;
  }

 private:
  enum class State { outside, there, absent };

  bool has_file(const std::string& path) const {
    return std::binary_search(files_.begin(), files_.end(), path);
  }
  bool has_folder(const std::string& path) const {
    const std::string below = path + "/";
    const auto at = std::lower_bound(files_.begin(), files_.end(), below);
    return at != files_.end() && at->starts_with(below);
  }

  /// Folders of the project that hold the top package or module.
  std::vector<std::string> bases() const {
    std::vector<std::string> found;
    const std::string first(parts_.front());
    const auto add = [&](std::string base) {
      if (std::find(found.begin(), found.end(), base) == found.end())
        found.push_back(std::move(base));
    };
    for (const std::string& path : files_) {
      const std::string inside = "/" + path;
      const std::size_t at = inside.find("/" + first + "/");
      if (at != std::string::npos) add(path.substr(0, at));
      if (inside.ends_with("/" + first + ".py"))
        add(path.substr(0, path.size() - first.size() - 3));
    }
    return found;
  }

  /// Folders that a program of the project imports from.
  bool is_on_path(const std::string& base) const {
    if (base == top_ || base == top_ + "src/") return true;
    return has_file(base + "setup.py") || code_.is_file(base + "pyproject.toml");
  }

  /// What the longest known part of the path says of the next.
  State state_below(const std::string& base, std::string& where) {
    std::string path = base;
    std::size_t known = 0;
    for (; known < parts_.size(); ++known) {
      const std::string next = path + std::string(parts_[known]);
      if (has_file(next + ".py")) return in_module(next + ".py", known + 1, where);
      if (!has_folder(next)) break;
      path = next + "/";
    }
    if (known == 0) return State::outside;
    if (known == parts_.size()) return State::there;
    const bool is_package = has_file(path + "__init__.py");
    // A name that something else than Python defines: an extension, a stub.
    const std::string next = path + std::string(parts_[known]);
    for (const char* ending : {".pyx", ".so", ".pyi", ".cpp", ""}) {
      if (code_.is_file(next + ending) || code_.is_folder(next + ending)) return State::there;
    }
    if (is_package) return in_module(path + "__init__.py", known, where);
    return known < 2 ? State::outside : State::absent;
  }

  State in_module(const std::string& file, std::size_t known, std::string& where) {
    if (known == parts_.size()) return State::there;
    const python::Module* module = code_.module(root_, file);
    if (module == nullptr || may_have_any_name(*module)) return State::there;
    const std::vector<std::string_view> words = python::words_of(module->text);
    if (std::find(words.begin(), words.end(), parts_[known]) != words.end()) return State::there;
    // A package that lacks a part which is followed by others lacks a module.
    const bool is_last = known + 1 == parts_.size();
    if (is_last || !file.ends_with("__init__.py")) where = file;
    return State::absent;
  }

  /// The code itself says from which folders programs import, others' among them.
  bool chooses_import_roots() {
    return std::any_of(files_.begin(), files_.end(), [&](const std::string& path) {
      const python::Module* module = code_.module(root_, path);
      return module != nullptr && module->text.find("PYTHONPATH") != std::string::npos;
    });
  }

  /// The one other place that defines the name.
  std::string elsewhere() {
    const std::string name(parts_.back());
    std::string found;
    for (const std::string& path : files_) {
      const python::Module* module = code_.module(root_, path);
      if (module == nullptr || !defines(module->text, name)) continue;
      if (!found.empty()) return {};
      found = path;
    }
    return found;
  }

  static bool defines(std::string_view text, const std::string& name) {
    for (const std::string& head : {"class " + name, "def " + name}) {
      const std::size_t at = text.find(head);
      if (at == text.npos || (at > 0 && text[at - 1] != '\n')) continue;
      const std::size_t end = at + head.size();
      if (end < text.size() && (text[end] == '(' || text[end] == ':')) return true;
    }
    return false;
  }

  CodeBase& code_;
  const std::string& root_;
  std::string top_;
  std::vector<std::string_view> parts_;
  std::vector<std::string> files_;
};

}  // namespace

DottedName look_up(CodeBase& code, const std::string& root, std::string_view dotted) {
  if (!is_dotted(dotted)) return {};
  return NameFinder(code, root, dotted).find();
}

}  // namespace gpulint
