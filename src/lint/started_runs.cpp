#include "lint/started_runs.h"

#include "base/system_path.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "code/read_code.h"
#include "code/started_commands.h"
#include "launch/carried_commands.h"
#include "lint/named_program.h"
#include "plan/run_paths.h"
#include "source/data_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpulint {
namespace {

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

constexpr int kMostProgramsInside = 4;  // that start one another

class ScriptReader {
 public:
  ScriptReader(const LintShared& shared, const std::string& root, const std::string& path,
               const StartedRun* by = nullptr, int depth = 0)
      : shared_(shared), root_(root), path_(path), by_(by), depth_(depth) {}

  std::vector<StartedRun> read(std::string_view text, FileId file,
                               std::vector<std::string>& limits) {
    launchers_ = shared_.session.catalog().all_described<Launcher>();
    if (!may_launch(text, launchers_)) return {};
    std::vector<StartedRun> runs;
    if (path_.ends_with(".py")) {
      if (auto commands = commands_of_code(text)) add_runs(*commands, text, file, runs, limits);
    } else {
      const CarriedCommands commands = carried_commands(path_, text);
      add_runs(commands, commands.text, file, runs, limits);
    }
    return runs;
  }

  /// Of each unit of a file of YAML.
  std::vector<StartedRun> read(const Document& document, const Launcher& carrier,
                               std::vector<std::string>& limits) {
    launchers_ = shared_.session.catalog().all_described<Launcher>();
    const bool has_words = carrier.carried && !carrier.carried->otherwise.empty();
    if (!has_words && !may_launch(document.text(), launchers_)) return {};
    std::vector<StartedRun> runs;
    for (const CarriedCommands& commands : unit_commands(document, carrier)) {
      if (may_launch(commands.script->bytes, launchers_))
        add_runs(commands, document.text(), document.file(), runs, limits);
    }
    return runs;
  }

 private:
  /// What a program in Python hands to the system, where it does not train itself.
  std::optional<CarriedCommands> commands_of_code(std::string_view text) const {
    if (shared_.code == nullptr) return std::nullopt;
    const ScriptMarks& marks = shared_.code->consumers().scripts();
    if (!may_start_commands(text, marks) || has_any(text, marks.steps)) return std::nullopt;
    const Document none;
    CodeRequest request{.document = &none,
                        .path = path_,
                        .root = root_,
                        .code = shared_.code,
                        .script = path_,
                        .open = [this](const std::string& path) -> const Document* {
                          const RunFile* found = shared_.files.open(path);
                          return found->document ? &*found->document : nullptr;
                        }};
    if (by_ != nullptr) {
      request.arguments = by_->launch->flags.get();
      request.subcommand = by_->launch->subcommand;
    }
    std::optional<ShellText> script = started_commands(request);
    if (!script) return std::nullopt;
    CarriedCommands made;
    made.script = std::move(script);
    return made;
  }

  /// The program only starts others, with what its own launchers say.
  bool add_runs_inside(const StartedRun& run, std::vector<StartedRun>& runs,
                       std::vector<std::string>& limits) const {
    if (run.program.empty() || run.program == path_ || depth_ == kMostProgramsInside) return false;
    const auto text = shared_.files.text(run.program, kMostScriptBytes);
    if (!text) return false;
    ScriptReader inside(shared_, root_, run.program, &run, depth_ + 1);
    std::vector<StartedRun> found = inside.read(text->text, text->file, limits);
    runs.insert(runs.end(), std::make_move_iterator(found.begin()),
                std::make_move_iterator(found.end()));
    return !found.empty();
  }

  void add_runs(const CarriedCommands& commands, std::string_view text, FileId file,
                std::vector<StartedRun>& runs, std::vector<std::string>& limits) const {
    auto script = std::make_shared<LaunchScript>(
        read_launches({.path = path_,
                       .text = text,
                       .file = file,
                       .launchers = launchers_,
                       .script = commands.script,
                       .carrier = commands.carrier,
                       .carrier_flags = commands.flags,
                       .variables = commands.variables,
                       .unexported = commands.unexported,
                       .open = [this](const std::string& name) { return open(name); },
                       .lines = [this](const std::string& name) { return lines(name); },
                       .has =
                           [this](const std::string& name) {
                             return !find_around(shared_.files, root_, path_, name).path.empty();
                           }}));
    limits.insert(limits.end(), script->limits.begin(), script->limits.end());
    for (Launch& launch : script->launches) {
      std::string program = named_program(shared_, root_, path_, launch);
      // Only its code can say that a program trains in spite of its name.
      if (launch.role == LauncherStarts::other && (program.empty() || shared_.code == nullptr))
        continue;
      if (by_ != nullptr) {
        launch.place = by_->launch->place;
        launch.launchers.insert(launch.launchers.end(), by_->launch->launchers.begin(),
                                by_->launch->launchers.end());
      }
      StartedRun run;
      run.script = script;
      run.launch = &launch;
      run.path = path_;
      run.program = std::move(program);
      if (add_runs_inside(run, runs, limits)) continue;
      find_config(run);
      runs.push_back(std::move(run));
    }
  }

  std::optional<OpenedScript> open(const std::string& name) const {
    const NamedPath found = find_around(shared_.files, root_, path_, name);
    if (found.path.empty() || found.path == path_) return std::nullopt;
    if (!may_be_script(found.path) && !may_hold_variables(found.path)) return std::nullopt;
    auto script = shared_.files.text(found.path, kMostScriptBytes);
    if (!script) return std::nullopt;
    return OpenedScript{std::move(script->text), script->file, found.path};
  }

  /// A list of runs that a loop of the script goes through.
  std::optional<OpenedScript> lines(const std::string& name) const {
    constexpr std::size_t kMostListed = std::size_t{1} << 18;
    const NamedPath found = find_around(shared_.files, root_, path_, name);
    if (found.path.empty() || found.path == path_) return std::nullopt;
    auto text = shared_.files.text(found.path, kMostListed);
    if (!text || text->text.find('\0') != std::string::npos) return std::nullopt;
    return OpenedScript{std::move(text->text), text->file, found.path};
  }

  /// The config of the run is the first that is one; a flag that names configs says so best.
  void find_config(StartedRun& run) const {
    if (find_by_name(run)) return;
    for (const NamedConfig& named : run.launch->configs) {
      if (!named.name.known()) run.patterns.push_back(pattern_of(named.name));
    }
    if (!find_layers(run)) find_first(run);
    if (run.config == nullptr) add_loaded(run);
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
    if (run.config == nullptr && run.beside.empty()) find_unrecognised(run);
  }

  /// What the one flag for configs names is one, though no framework has its keys: the program
  /// says what they mean.
  void find_unrecognised(StartedRun& run) const {
    const auto is_marked = [](const NamedConfig& named) { return named.is_marked; };
    const auto& all = run.launch->configs;
    if (std::count_if(all.begin(), all.end(), is_marked) != 1) return;
    const NamedConfig& named = *std::find_if(all.begin(), all.end(), is_marked);
    if (!named.name.known() || !is_data_file_name(named.name.bytes) || run.program.empty()) return;
    const std::string path = find_named(shared_, root_, path_, run.launch->folder, named.name);
    if (!path.empty()) consider(run, path, false, true);
  }

  /// `is_certain`: the program itself names the config, so nobody has to guess whether it is one.
  void consider(StartedRun& run, const std::string& path, bool lies_over = false,
                bool is_certain = false) const {
    if (path.empty()) return;
    const RunFile* file = shared_.files.open(path);
    if (!file->document) return;
    run.names.push_back(path);
    const Recognition found = recognise(*file->document, shared_.session.catalog().dialects());
    const bool composes = !shared_.session.base_keys().in(*file->document).empty();
    if (found.dialect == nullptr && !composes && !lies_over && !is_certain) return;
    if (lies_over || (found.dialect != nullptr && found.dialect->supplement)) {
      run.beside.push_back(path);
    } else if (run.config == nullptr) {
      run.config = file;
    }
  }

  /// Modules that a flag for configs names: the program imports them by their path.
  void add_loaded(StartedRun& run) const {
    for (const NamedConfig& named : run.launch->configs) {
      if (!named.is_marked || !named.name.known() || !named.name.bytes.ends_with(".py")) continue;
      std::string path = find_named(shared_, root_, path_, run.launch->folder, named.name);
      if (!path.empty()) run.names.push_back(std::move(path));
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
      consider(run, found, false, true);
      if (run.config != nullptr) return true;
    }
    return false;
  }

  const LintShared& shared_;
  const std::string& root_;
  const std::string& path_;
  const StartedRun* by_ = nullptr;  // what starts this one
  int depth_ = 0;
  std::vector<const Launcher*> launchers_;
};

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

RunCommand command_of(const StartedRun& started) {
  RunCommand command;
  const Launch& launch = *started.launch;
  if (started.config != nullptr) {
    command.program = started.program;
    command.flags = launch.flags.get();
    command.overrides = launch.overrides.get();
  }
  command.has_unknown = launch.has_unknown;
  command.subcommand = launch.subcommand;
  command.removed = launch.removed;
  command.chosen = launch.chosen;
  for (const LaunchedBy& by : launch.launchers)
    command.launchers.push_back({by.flags.get(), by.launcher});
  return command;
}

}  // namespace gpulint
