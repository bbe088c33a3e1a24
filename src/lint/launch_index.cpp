#include "lint/launch_index.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/script_choice.h"
#include "launch/carried_commands.h"
#include "lint/named_program.h"
#include "plan/run_paths.h"
#include "source/data_files.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace gpulint {
namespace {

/// A line of the script's own, or one that shows how it is started, names the folder. A usage line
/// copied from another script names that one.
bool speaks_of_folder(std::string_view text, std::string_view folder, std::string_view script) {
  for (std::size_t at = text.find(folder); at != std::string_view::npos;
       at = text.find(folder, at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is the first byte
    const std::string_view line = text.substr(begin, text.find('\n', at) - begin);
    const bool is_comment = trim(line).starts_with('#');
    if (!is_comment || line.find(script) != std::string_view::npos) return true;
  }
  return false;
}

/// The folder of the config, or one around it below the project's top folders.
bool speaks_of_a_folder(std::string_view text, std::string_view config, std::string_view script) {
  std::string_view folder = parent_path(config);
  do {
    if (speaks_of_folder(text, std::string(folder) + "/", script)) return true;
    folder = parent_path(folder);
  } while (folder.find('/') != std::string_view::npos);
  return false;
}

/// A file by its name, or without its ending as a word of its own (`--config-name base`).
bool speaks_of(std::string_view text, std::string_view name) {
  if (text.find(name) != std::string_view::npos) return true;
  const std::string_view stem = name.substr(0, name.rfind('.'));
  constexpr std::string_view kBefore = " =/\"'\n";
  constexpr std::string_view kBehind = " \"'\n\\";
  for (std::size_t at = text.find(stem); at != std::string_view::npos;
       at = text.find(stem, at + 1)) {
    const std::size_t end = at + stem.size();
    const bool begins = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
    if (begins && (end == text.size() || kBehind.find(text[end]) != std::string_view::npos))
      return true;
  }
  return false;
}

/// `configs/{a,b}.yaml` in a text that shows commands: one of them is meant, whichever is asked
/// about.
void take_alternative(StartedRun& run, const LintShared& shared, const std::string& root,
                      const std::string& file) {
  if (run.config == nullptr || run.config->path == file) return;
  const auto place_of = [&](const std::string& path) {
    for (const NamedConfig& named : run.launch->configs) {
      const bool is_it = !named.name.origins.empty() &&
                         find_named(shared, root, run.path, run.launch->folder, named.name) == path;
      if (is_it) return named.name.origins.front();
    }
    return kNowhere;
  };
  const std::uint32_t place = place_of(file);
  if (place == kNowhere || place != place_of(run.config->path)) return;
  const RunFile* config = shared.files.open(file);
  if (config->document) run.config = config;
}

/// Of what `{a,b}` stands for in a shown command, nothing need be written out.
bool shows_alternatives(std::string_view text, std::string_view file) {
  const std::string_view folder = file_name(parent_path(file));
  return !folder.empty() && text.find('{') != text.npos &&
         text.find(std::string(folder) + "/") != text.npos;
}

/// The program as it is started without any options.
std::vector<StartedRun> bare_start(const LintShared& shared, const std::string& root,
                                   const std::string& program) {
  std::vector<std::string> limits;
  const std::string command = "python " + std::string(file_name(program)) + "\n";
  const std::string beside = join_path(parent_path(program), "run.sh");
  std::vector<StartedRun> runs = started_runs(shared, root, beside, command, kNoFile, limits);
  std::erase_if(runs, [&](const StartedRun& run) { return run.program != program; });
  for (StartedRun& run : runs) run.path = program;
  return runs;
}

}  // namespace

/// Only scripts are read whose text speaks of the file: reading one costs more than linting a
/// config. A script that hands the file's name to another one speaks of it too.
std::vector<StartedRun> LaunchIndex::runs_in(const LintShared& shared, const std::string& root,
                                             const std::vector<std::string>& paths,
                                             const std::string& file, RunsOfScripts& read) const {
  std::vector<StartedRun> runs;
  for (const std::string& path : paths) {
    if (std::binary_search(linted_.begin(), linted_.end(), path)) continue;
    const auto script = shared.files.text(path, kMostScriptBytes);
    const bool is_shown = may_show_commands(path);
    if (!script || (!speaks_of(script->text, file_name(file)) &&
                    !(is_shown && shows_alternatives(script->text, file))))
      continue;
    for (const StartedRun& run :
         read_script(shared, root, path, script->text, script->file, read)) {
      if (std::find(run.names.begin(), run.names.end(), file) == run.names.end()) continue;
      runs.push_back(run);
      if (is_shown) take_alternative(runs.back(), shared, root, file);
    }
  }
  return runs;
}

const std::vector<StartedRun>& LaunchIndex::read_script(const LintShared& shared,
                                                        const std::string& root,
                                                        const std::string& path,
                                                        std::string_view text, FileId file,
                                                        RunsOfScripts& read) const {
  const auto known = read.find(path);
  if (known != read.end()) return known->second;
  std::vector<std::string> limits;
  return read.emplace(path, started_runs(shared, root, path, text, file, limits)).first->second;
}

std::vector<StartedRun> LaunchIndex::scripts_of(const LintShared& shared, const std::string& root,
                                                const std::string& file) const {
  std::vector<std::string> scripts = trees_.of(root).scripts;
  if (shared.code != nullptr) {
    const std::vector<std::string>& programs = shared.code->starting_scripts(root);
    scripts.insert(scripts.end(), programs.begin(), programs.end());
  }
  const std::scoped_lock lock(mutex_);
  return runs_in(shared, root, scripts, file, read_[root]);
}

std::vector<StartedRun> LaunchIndex::scripts_of_namers(const LintShared& shared,
                                                       const std::string& root,
                                                       const std::string& file) const {
  constexpr std::size_t kMostBeside = 64;
  const std::string folder(parent_path(file));
  const auto entries = shared.files.reader().list(folder.empty() ? "." : folder);
  if (!entries || entries->size() > kMostBeside) return {};
  const std::string name(file_name(file));
  std::vector<StartedRun> runs;
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = join_path(folder, entry.name);
    if (path == file || !is_data_file_name(path)) continue;
    const auto beside = shared.files.text(path, kMostScriptBytes);
    if (!beside || beside->text.find(name) == std::string::npos) continue;
    std::vector<StartedRun> found = scripts_of(shared, root, path);
    std::move(found.begin(), found.end(), std::back_inserter(runs));
  }
  return runs;
}

std::vector<StartedRun> LaunchIndex::templates_of(const LintShared& shared, const std::string& root,
                                                  const std::string& file) const {
  const ProjectTree& tree = trees_.of(root);
  const std::string inside = file.starts_with(root + "/") ? file.substr(root.size() + 1) : file;
  const std::string top = inside.substr(0, inside.find('/') + 1);
  if (top.empty()) return {};  // nothing is said by a file beside all others
  const std::scoped_lock lock(mutex_);
  std::vector<StartedRun> runs;
  for (const std::string& path : tree.scripts) {
    if (std::binary_search(linted_.begin(), linted_.end(), path)) continue;
    const auto script = shared.files.text(path, kMostScriptBytes);
    if (!script || script->text.find(top) == std::string::npos) continue;
    const bool is_of_folder = speaks_of_a_folder(script->text, inside, file_name(path));
    for (StartedRun run :
         read_script(shared, root, path, script->text, script->file, read_[root])) {
      const bool is_meant =
          std::any_of(run.patterns.begin(), run.patterns.end(), [&](const std::string& pattern) {
            const bool has_folder = pattern.find('/') != std::string::npos;
            return has_folder ? glob_match(pattern, inside) || glob_match("**/" + pattern, inside)
                              : is_of_folder && glob_match(pattern, file_name(inside));
          });
      if (run.config != nullptr || !is_meant) continue;
      run.config = shared.files.open(file);
      run.names.push_back(file);
      if (run.config->document) runs.push_back(std::move(run));
    }
  }
  return runs;
}

bool LaunchIndex::exports(const LintShared& shared, const std::string& root,
                          std::string_view name) const {
  const std::vector<std::string>& scripts = trees_.of(root).scripts;
  return std::any_of(scripts.begin(), scripts.end(), [&](const std::string& path) {
    const auto text = shared.files.reader().read(path, kMostScriptBytes);
    if (!text) return false;
    const std::vector<std::string_view> lines = split(*text, '\n');
    return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
      if (trim(line) == "set -a") return true;
      const bool may_export = line.find("export") != line.npos || line.find(" -v ") != line.npos ||
                              line.find("env ") != line.npos;
      return may_export && has_word(line, name);
    });
  });
}

std::vector<StartedRun> LaunchIndex::shown_for(const LintShared& shared, const std::string& root,
                                               const std::string& file) const {
  const ProjectTree& tree = trees_.of(root);
  const std::scoped_lock lock(mutex_);
  return runs_in(shared, root, tree.texts, file, read_[root]);
}

std::vector<StartedRun> LaunchIndex::starts_of(const LintShared& shared, const std::string& root,
                                               const std::string& program) const {
  const ProjectTree& tree = trees_.of(root);
  std::vector<StartedRun> runs = starts_in(shared, root, tree.scripts, program);
  return runs.empty() ? starts_in(shared, root, tree.texts, program) : runs;
}

std::vector<StartedRun> LaunchIndex::starts_of_loaders(const LintShared& shared,
                                                       const std::string& root,
                                                       const std::string& file) const {
  std::vector<StartedRun> runs;
  if (shared.code == nullptr) return runs;
  const std::string_view name = file_name(file);
  const std::string_view stem = name.substr(0, name.rfind('.'));
  const bool is_module = name.ends_with(".py");
  // What code consumes is only unpacked where there is a module to judge by it.
  if (is_module && !names_settings(stem, shared.code->consumers().scripts())) return runs;
  for (const Script& script : shared.code->scripts(root)) {
    if (script.path == file) return {};  // it is started itself
    if (is_module ? !has_word(script.text, stem) : script.text.find(name) == std::string::npos)
      continue;
    std::vector<StartedRun> found = starts_in(shared, root, trees_.of(root).scripts, script.path);
    if (is_module && found.empty()) found = bare_start(shared, root, script.path);
    runs.insert(runs.end(), std::make_move_iterator(found.begin()),
                std::make_move_iterator(found.end()));
  }
  return runs;
}

std::vector<StartedRun> LaunchIndex::starts_in(const LintShared& shared, const std::string& root,
                                               const std::vector<std::string>& paths,
                                               const std::string& program) const {
  const std::scoped_lock lock(mutex_);
  const std::string_view name = file_name(program);
  const std::string_view stem = name.substr(0, name.rfind('.'));  // `python -m package.train`
  std::vector<StartedRun> runs;
  for (const std::string& path : paths) {
    const auto text = shared.files.text(path, kMostScriptBytes);
    if (!text || text->text.find(stem) == std::string::npos) continue;
    for (const StartedRun& run :
         read_script(shared, root, path, text->text, text->file, read_[root])) {
      if (run.program == program && run.config == nullptr) runs.push_back(run);
    }
  }
  return runs;
}

}  // namespace gpulint
