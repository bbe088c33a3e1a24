#include "lint/started_runs.h"

#include "base/system_path.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "code/read_code.h"
#include "launch/carried_commands.h"
#include "lint/named_program.h"
#include "plan/run_paths.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostScriptBytes = std::size_t{1} << 20;

/// `configs/$MODEL/$1.yaml` as `configs/*/*.yaml`.
std::string pattern_of(const ShellText& name) {
  std::string pattern;
  for (const char byte : name.bytes) {
    const bool is_open = byte == kUnknownByte || byte == kUnsetByte;
    if (!is_open) {
      pattern += byte;
    } else if (!pattern.ends_with('*')) {
      pattern += '*';
    }
  }
  while (pattern.starts_with("./") || pattern.starts_with("*/")) pattern.erase(0, 2);
  return pattern;
}

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

/// `"['train.json','multi_gpu.json']"`: the later ones lie over the first.
std::vector<ShellText> names_of(const ShellText& written) {
  std::string_view text = written.bytes;
  if (!written.known() || !text.starts_with('[') || !text.ends_with(']')) return {written};
  std::vector<ShellText> names;
  for (std::string_view item : split(text.substr(1, text.size() - 2), ',')) {
    item = trim(item);
    while (!item.empty() && (item.front() == '\'' || item.front() == '"')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == '\'' || item.back() == '"')) item.remove_suffix(1);
    if (!item.empty()) names.push_back(ShellText::computed(item));
  }
  return names;
}

class ScriptReader {
 public:
  ScriptReader(const LintShared& shared, const std::string& root, const std::string& path)
      : shared_(shared), root_(root), path_(path) {}

  std::vector<StartedRun> read(std::string_view text, FileId file,
                               std::vector<std::string>& limits) {
    launchers_ = shared_.session.catalog().all_described<Launcher>();
    if (!may_launch(text, launchers_)) return {};
    const CarriedCommands commands = carried_commands(path_, text);
    std::vector<StartedRun> runs;
    add_runs(commands, commands.text, file, runs, limits);
    return runs;
  }

  /// Of each unit of a file of YAML.
  std::vector<StartedRun> read(const Document& document, const Launcher& carrier,
                               std::vector<std::string>& limits) {
    launchers_ = shared_.session.catalog().all_described<Launcher>();
    if (!may_launch(document.text(), launchers_)) return {};
    std::vector<StartedRun> runs;
    for (const CarriedCommands& commands : unit_commands(document, carrier)) {
      if (may_launch(commands.script->bytes, launchers_))
        add_runs(commands, document.text(), document.file(), runs, limits);
    }
    return runs;
  }

 private:
  void add_runs(const CarriedCommands& commands, std::string_view text, FileId file,
                std::vector<StartedRun>& runs, std::vector<std::string>& limits) const {
    auto script = std::make_shared<const LaunchScript>(
        read_launches({.path = path_,
                       .text = text,
                       .file = file,
                       .launchers = launchers_,
                       .script = commands.script,
                       .carrier = commands.carrier,
                       .carrier_flags = commands.flags,
                       .variables = commands.variables,
                       .unexported = commands.unexported,
                       .open = [this](const std::string& name) { return open(name); }}));
    limits.insert(limits.end(), script->limits.begin(), script->limits.end());
    for (const Launch& launch : script->launches) {
      StartedRun& run = runs.emplace_back();
      run.script = script;
      run.launch = &launch;
      run.path = path_;
      run.program = named_program(shared_, root_, path_, launch);
      find_config(run);
    }
  }

  std::optional<OpenedScript> open(const std::string& name) const {
    const NamedPath found = find_around(shared_.files, root_, path_, name);
    if (found.path.empty() || found.path == path_) return std::nullopt;
    if (!may_be_script(found.path)) return std::nullopt;
    auto script = shared_.files.text(found.path, kMostScriptBytes);
    if (!script) return std::nullopt;
    return OpenedScript{std::move(script->text), script->file, found.path};
  }

  /// The config of the run is the first that is one; a flag that names configs says so best.
  void find_config(StartedRun& run) const {
    if (find_by_name(run)) return;
    for (const NamedConfig& named : run.launch->configs) {
      if (!named.name.known()) run.patterns.push_back(pattern_of(named.name));
    }
    if (!find_layers(run)) find_first(run);
    add_references(run);
  }

  /// `--config trainer.yaml --config model.yaml`: whoever gives the flag of the config again lays
  /// the later ones over the first.
  bool find_layers(StartedRun& run) const {
    std::vector<std::string> paths;
    std::string_view flag;
    for (const NamedConfig& named : run.launch->configs) {
      if (!named.is_marked || !named.name.known()) continue;
      if (!flag.empty() && !same_flag(named.flag, flag)) return false;
      flag = named.flag;
      const std::string path = find_named(shared_, root_, path_, run.launch->folder, named.name);
      if (path.empty() || !shared_.files.open(path)->document) return false;
      paths.push_back(path);
    }
    if (paths.size() < 2) return false;
    run.config = shared_.files.open(paths.front());
    run.over.assign(paths.begin() + 1, paths.end());
    run.names = std::move(paths);
    return true;
  }

  void find_first(StartedRun& run) const {
    for (const bool marked : {true, false}) {
      for (const NamedConfig& named : run.launch->configs) {
        if (named.is_marked != marked) continue;
        bool lies_over = false;
        for (const ShellText& name : names_of(named.name)) {
          consider(run, find_named(shared_, root_, path_, run.launch->folder, name), lies_over);
          lies_over = run.config != nullptr;
        }
      }
    }
  }

  void consider(StartedRun& run, const std::string& path, bool lies_over = false) const {
    if (path.empty()) return;
    const RunFile* file = shared_.files.open(path);
    if (!file->document) return;
    run.names.push_back(path);
    const Recognition found = recognise(*file->document, shared_.session.catalog().dialects());
    const bool composes = !shared_.session.base_keys().in(*file->document).empty();
    if (found.dialect == nullptr && !composes && !lies_over) return;
    if (lies_over || (found.dialect != nullptr && found.dialect->supplement)) {
      run.beside.push_back(path);
    } else if (run.config == nullptr) {
      run.config = file;
    }
  }

  /// Files that flags of the launchers name (`--config_file`).
  void add_references(StartedRun& run) const {
    for (const LaunchedBy& by : run.launch->launchers) {
      for (const Reference& reference : by.launcher->facts.references) {
        const NodeId value = by.flags->find(by.flags->root(), reference.key);
        if (value == kNoNode || !names_a_config(by.flags->scalar(value))) continue;
        const ShellText name = ShellText::computed(by.flags->scalar(value));
        const std::string path = find_named(shared_, root_, path_, run.launch->folder, name);
        if (!path.empty()) run.names.push_back(path);
      }
    }
  }

  const NamedConfig* named_by(const Launch& launch, std::string_view flag) const {
    for (const NamedConfig& named : launch.configs) {
      if (same_flag(named.flag, flag)) return &named;
    }
    return nullptr;
  }

  /// A config that is named without its ending, and the folder it lies in: `--config-name`, or
  /// what the program's own decorator says.
  bool find_by_name(StartedRun& run) const {
    const Launch& launch = *run.launch;
    const std::string& program = run.program;
    EntryConfig named_in_code;
    if (!program.empty() && shared_.code != nullptr)
      named_in_code = entry_config(*shared_.code, root_, program);
    std::string name = named_in_code.name;
    if (const NamedConfig* named = named_by(launch, "config_name")) {
      if (!named->name.known()) return false;
      name = named->name.bytes;
    }
    if (name.empty()) return false;
    if (!names_a_config(name)) name += ".yaml";
    std::vector<std::string> folders;
    for (const char* flag : {"config_path", "config_dir"}) {
      if (const NamedConfig* named = named_by(launch, flag))
        folders.push_back(known_end(named->name));
    }
    if (!program.empty()) folders.push_back(named_in_code.path);
    for (const std::string& folder : folders) {
      const std::string path = normalize_path(join_path(folder, name));
      const bool exists =
          shared_.files.kind(path) == FileKind::regular && is_inside(shared_.files, root_, path);
      const std::string found =
          exists ? path : find_around(shared_.files, root_, path_, join_path(folder, name)).path;
      if (found.empty()) continue;
      consider(run, found);
      if (run.config != nullptr) return true;
    }
    return false;
  }

  const LintShared& shared_;
  const std::string& root_;
  const std::string& path_;
  std::vector<const Launcher*> launchers_;
};

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

}  // namespace

std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, std::string_view text, FileId file,
                                     std::vector<std::string>& limits) {
  return ScriptReader(shared, root, path).read(text, file, limits);
}

std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, const Document& document,
                                     const Launcher& carrier, std::vector<std::string>& limits) {
  return ScriptReader(shared, root, path).read(document, carrier, limits);
}

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
  const ProjectTree& tree = trees_.of(root);
  const std::scoped_lock lock(mutex_);
  return runs_in(shared, root, tree.scripts, file, read_[root]);
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

std::vector<StartedRun> LaunchIndex::shown_for(const LintShared& shared, const std::string& root,
                                               const std::string& file) const {
  const ProjectTree& tree = trees_.of(root);
  const std::scoped_lock lock(mutex_);
  return runs_in(shared, root, tree.texts, file, read_[root]);
}

std::vector<StartedRun> LaunchIndex::shown_starts(const LintShared& shared, const std::string& root,
                                                  const std::string& program) const {
  const ProjectTree& tree = trees_.of(root);
  const std::scoped_lock lock(mutex_);
  const std::string_view name = file_name(program);
  const std::string_view stem = name.substr(0, name.rfind('.'));  // `python -m package.train`
  std::vector<StartedRun> runs;
  for (const std::string& path : tree.texts) {
    const auto text = shared.files.text(path, kMostScriptBytes);
    if (!text || text->text.find(stem) == std::string::npos) continue;
    for (const StartedRun& run :
         read_script(shared, root, path, text->text, text->file, read_[root])) {
      if (run.program == program && run.config == nullptr) runs.push_back(run);
    }
  }
  return runs;
}

RunCommand command_of(const StartedRun& started) {
  RunCommand command;
  const Launch& launch = *started.launch;
  if (started.config != nullptr) {
    command.program = started.program;
    command.flags = launch.flags.get();
    command.overrides = launch.overrides.get();
  }
  command.removed = launch.removed;
  command.chosen = launch.chosen;
  for (const LaunchedBy& by : launch.launchers)
    command.launchers.push_back({by.flags.get(), &by.launcher->facts, &by.launcher->terms});
  return command;
}

}  // namespace gpulint
