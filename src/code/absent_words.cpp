// What a program does not do that could not be followed to its training: no file that it may import
// has a word of it.

#include "base/system_path.h"
#include "base/text.h"
#include "code/absences.h"
#include "code/word_parts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

using python::Module;

constexpr std::size_t kMostImported = 300;
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

/// Names of modules as `import` and `from` have them, without the dots in front; "" where nothing
/// follows these.
std::vector<std::string_view> imported_names(std::string_view text) {
  std::vector<std::string_view> names;
  for (const std::string_view line : split(text, '\n')) {
    std::string_view rest = trim(line);
    const bool is_from = rest.starts_with("from ");
    if (!is_from && !rest.starts_with("import ")) continue;
    rest.remove_prefix(rest.find(' '));
    if (is_from) rest = rest.substr(0, rest.find(" import"));
    for (std::string_view name : split(rest, ',')) {
      name = trim(name);
      while (name.starts_with('.')) name.remove_prefix(1);
      names.push_back(name.substr(0, name.find(' ')));
    }
  }
  return names;
}

/// Modules that a program may import, more rather than fewer: any that is called like a name it
/// imports, and all of a package. All of the project where it imports by a name that is worked out.
class Imports {
 public:
  Imports(const CodeRequest& request, const std::string& program) : request_(request) {
    for (std::string& path : request.code->python_files(request.root, {})) {
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
    const Module* module = request_.code->module(request_.root, files_[file].path);
    is_whole_ = is_whole_ && module != nullptr;
    if (module == nullptr) return;
    modules_.push_back(module);
    dotted_.push_back(files_[file].dotted);
  }

  void follow(std::size_t which) {
    const std::string& text = request_.code->acting(*modules_[which]);
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
        return name.empty() ? above == folder
                            : ends_with_name(dotted, name) || ends_with_name(above, name);
      };
      if (is_worked_out || std::any_of(names.begin(), names.end(), is_meant)) add(i);
    }
  }

  const CodeRequest& request_;
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

std::vector<CodeFact> facts_without_words(const CodeRequest& request, const std::string& program) {
  const Imports imports(request, program);
  const std::vector<const Module*>& modules = imports.modules();
  if (!imports.is_whole()) return {};
  SourceSpan at;
  for (const Module* each : modules) {
    const std::size_t found = each->text.find(kLearns);
    if (found == each->text.npos) continue;
    const auto begin = static_cast<std::uint32_t>(found);
    at = {each->file, begin, begin};
    break;
  }
  if (!at.known()) return {};
  std::vector<CodeFact> facts;
  for (const AbsentWords* words : request.code->consumers().absent()) {
    const bool is_spoken_of =
        std::any_of(modules.begin(), modules.end(), [&](const Module* each) {
          return request.code->speaks_of(*each, *words) &&
                 has_any_part(request.code->acting(*each), words->words, words->apart_from);
        });
    if (is_spoken_of) continue;
    for (const auto& [fact, value] : words->states) {
      CodeFact& made = facts.emplace_back();
      made.fact = fact;
      made.value = value;
      made.fills = true;
      made.span = made.call = at;
      made.source = said_of_files(words->source);
    }
  }
  return facts;
}

}  // namespace gpulint
