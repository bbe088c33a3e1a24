// What a program does not do that could not be followed to its training: no file that it may import
// has a word of it.

#include "base/system_path.h"
#include "base/text.h"
#include "code/absences.h"
#include "code/imported_names.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

using python::Module;

constexpr std::size_t kMostImported = 300;  // chosen: larger projects are not looked through
constexpr std::string_view kLearns = ".backward(";

/// A file by its dotted path: "src.models.net" and "src.models.__init__".
struct ProjectFile {
  std::string path;
  std::string dotted;
};

std::string dotted_path(std::string_view path) {
  std::string made(path.substr(0, path.rfind('.')));
  std::replace(made.begin(), made.end(), '/', '.');
  return made;
}

bool ends_with_name(std::string_view dotted, std::string_view name) {
  return dotted == name || (dotted.size() > name.size() && dotted.ends_with(name) &&
                            dotted[dotted.size() - name.size() - 1] == '.');
}

/// Modules that a program may import, more rather than fewer: any that is called like a name it
/// imports, and all of a package. All of the project where it imports by a name that is worked out.
class Imports {
 public:
  Imports(CodeBase& code, const std::string& root, const std::string& program)
      : code_(code), root_(root) {
    for (std::string& path : code.python_files(root, {})) {
      if (files_.size() > kMostImported) break;
      std::string dotted = dotted_path(path);
      files_.push_back({std::move(path), std::move(dotted)});
    }
    is_met_.resize(files_.size());
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (program.empty() || files_[i].path == program) add(i);
    for (std::size_t done = 0; done < modules_.size() && is_whole_; ++done) follow(done);
  }

  bool is_whole() const { return is_whole_ && files_.size() <= kMostImported; }
  const std::vector<const Module*>& modules() const { return modules_; }

 private:
  void add(std::size_t file) {
    if (is_met_[file]) return;
    is_met_[file] = true;
    const Module* module = code_.module(root_, files_[file].path);
    is_whole_ = is_whole_ && module != nullptr;
    if (module == nullptr) return;
    modules_.push_back(module);
    dotted_.push_back(files_[file].dotted);
  }

  void follow(std::size_t which) {
    const std::string& text = code_.acting(*modules_[which]);
    const std::string own = dotted_[which];
    const std::string_view folder = std::string_view(own).substr(0, own.rfind('.'));
    const bool is_worked_out = text.find("import_module") != text.npos ||
                               text.find("__import__") != text.npos ||
                               text.find("exec(") != text.npos;
    const std::vector<std::string_view> names = imported_names(text);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (is_met_[i]) continue;
      const std::string_view dotted = files_[i].dotted;
      const std::string_view above = dotted.substr(0, std::min(dotted.rfind('.'), dotted.size()));
      const auto is_meant = [&](std::string_view name) {
        name.remove_prefix(std::min(name.find_first_not_of('.'), name.size()));
        return name.empty() ? above == folder
                            : ends_with_name(dotted, name) || ends_with_name(above, name);
      };
      if (is_worked_out || std::any_of(names.begin(), names.end(), is_meant)) add(i);
    }
  }

  CodeBase& code_;
  const std::string& root_;
  std::vector<ProjectFile> files_;
  std::vector<bool> is_met_;
  std::vector<const Module*> modules_;
  std::vector<std::string> dotted_;  // as many
  bool is_whole_ = true;
};

/// "no file that may be imported has a word of a warm-up".
std::string said_of_files(std::string_view source) {
  constexpr std::string_view kWord = "has a word of";
  const std::size_t at = source.find(kWord);
  if (at == source.npos) return std::string(source);
  return "no file that the program may import " + std::string(source.substr(at));
}

}  // namespace

const MissingWords& CodeBase::missing_words(const std::string& root, const std::string& program) {
  Missing& known = place_of(missing_, {root, program});
  std::call_once(known.once, [&] {
    const Imports imports(*this, root, program);
    if (!imports.is_whole()) return;
    for (const Module* each : imports.modules()) {
      const std::size_t found = acting(*each).find(kLearns);
      if (found == std::string::npos) continue;
      const auto begin = static_cast<std::uint32_t>(found);
      known.found.learns = {each->file, begin, begin};
      break;
    }
    if (!known.found.learns.known()) return;
    for (const AbsentWords* words : consumers().absent()) {
      const auto speaks = [&](const Module* each) { return speaks_of(*each, *words); };
      if (std::none_of(imports.modules().begin(), imports.modules().end(), speaks))
        known.found.words.push_back(words);
    }
  });
  return known.found;
}

std::vector<CodeFact> facts_without_words(const CodeRequest& request, const std::string& program) {
  const MissingWords& missing = request.code->missing_words(request.root, program);
  std::vector<CodeFact> facts;
  for (const AbsentWords* words : missing.words) {
    for (const auto& [fact, value] : words->states) {
      CodeFact& made = facts.emplace_back();
      made.fact = fact;
      made.value = value;
      made.fills = true;
      made.span = made.call = missing.learns;
      made.source = said_of_files(words->source);
    }
  }
  return facts;
}

}  // namespace gpulint
