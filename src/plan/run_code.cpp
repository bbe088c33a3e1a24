#include "plan/run_code.h"

#include "base/text.h"
#include "code/script_choice.h"
#include "plan/code_facts.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

bool has_trait(const Dialect& dialect, std::string_view trait) {
  return std::find(dialect.traits.begin(), dialect.traits.end(), trait) != dialect.traits.end();
}

/// A framework that trains networks of the project: its keys are known, the network is not.
bool trains_own_networks(const Dialect& dialect) {
  return has_trait(dialect, "trains_own_networks");
}

void keep_networks(CodeReading& code) {
  std::erase_if(code.facts, [](const CodeFact& fact) {
    return fact.fact != "parameters" && fact.fact != "trainable_parameters" &&
           fact.fact != "own_network" && fact.fact != "network";
  });
}

/// Whether the script belongs to the part of the project that the config lies in: its folder, or
/// the one above, holds both.
bool is_around(std::string_view script, std::string_view config) {
  const std::string_view folder = parent_path(script);
  const auto holds = [&](std::string_view above) {
    return above.empty() || above == "." || config.starts_with(std::string(above) + "/");
  };
  return holds(folder) || holds(parent_path(folder));
}

/// What a command states, it states by such an option.
void add_options(const RunRequest& request, const Document& config, CodeReading& code) {
  if (!request.script.empty() || config.format() == Format::shell) return;
  for (const Script& script : request.code->scripts(request.root)) {
    if (!is_around(script.path, config.path())) continue;
    code.options.insert(code.options.end(), script.options.begin(), script.options.end());
  }
}

/// The rate that a schedule peaks at may not be the one that is stated where a line of the script
/// multiplies it. Of a script that is a run of its own, or that a command starts, no other counts.
/// Found by words: enough to be silent by, not to accuse anybody.
void add_rate_scaling(const RunRequest& request, std::string_view config, CodeReading& code) {
  const std::string_view started = request.command != nullptr ? request.command->program : "";
  const std::vector<Script>& scripts = request.code->scripts(request.root);
  const auto is_one_of_them = [&](std::string_view path) {
    return std::any_of(scripts.begin(), scripts.end(),
                       [&](const Script& each) { return each.path == path; });
  };
  const bool is_script = is_one_of_them(config);
  const bool is_command = is_one_of_them(request.script) || is_one_of_them(started);
  for (const Script& script : scripts) {
    if (script.scales_rate.empty()) continue;
    const bool is_started = script.path == request.script || script.path == started ||
                            contains(code.modules, script.path);
    const bool is_run = is_script ? script.path == config : is_started;
    if (!is_run && (is_script || is_command || !is_around(script.path, config))) continue;
    const python::Module* module = request.code->module(request.root, script.path);
    const std::size_t at =
        module == nullptr ? std::string::npos : module->text.find(script.scales_rate);
    if (at == std::string::npos) continue;
    const auto begin = static_cast<std::uint32_t>(at);
    const SourceSpan line{module->file, begin,
                          begin + static_cast<std::uint32_t>(script.scales_rate.size())};
    code.facts.push_back({.fact = "learning_rate_scaling",
                          .value = "linear",
                          .fills = true,
                          .span = line,
                          .call = line});
    return;
  }
}

/// Such a framework's key means the rate before the scaling, whatever a run makes of it.
void keep_stated_rate(CodeReading& code) {
  std::erase_if(code.facts, [](const CodeFact& fact) {
    return fact.fact == "learning_rate_per_rank" || fact.fact == "learning_rate";
  });
}

/// What the program finds in its environment, as far as its command says.
ProgramEnvironment environment_of(const RunCommand& command) {
  ProgramEnvironment made;
  bool is_alone = true;  // nothing else than what is known may set such a variable
  for (const RunCommand::LaunchedBy& by : command.launchers) {
    if (made.document == nullptr) {  // each of them sees the variables of the script
      made.document = by.flags;
      made.variables = by.flags->find(by.flags->root(), kVariablesKey);
    }
    const Launcher& launcher = *by.launcher;
    if (const auto& variables = launcher.process_variables) {
      if (made.first.empty()) made.first = variables->first;
      if (made.ranks.empty()) made.ranks = variables->ranks;
      made.unset.insert(made.unset.end(), variables->unset.begin(), variables->unset.end());
    } else if (launcher.carried || launcher.starts == LauncherStarts::program) {
      is_alone = false;
    }
  }
  if (!is_alone) made.unset.clear();
  return made;
}

/// Keys of a trainer that projects take for loops of their own as well.
bool is_read_by_own_scripts(const Dialect& dialect) {
  return !dialect.leaf_sections.empty() || has_trait(dialect, "read_by_own_scripts");
}

}  // namespace

std::optional<RunCode> read_run_code(const RunRequest& request, const JoinedRun& run) {
  const Dialect* dialect = run.recognition.dialect;
  // A config written in Python is loaded by scripts like any other.
  const bool is_config = dialect != nullptr && has_trait(*dialect, "read_by_own_scripts");
  const bool is_python = run.own.format() == Format::python && request.script.empty();
  bool is_script = is_python && !is_config;
  const bool has_words = run.has_keys || is_script;  // a script may hold all in its functions
  const bool is_bare =
      dialect == nullptr ? has_words && !run.recognition.foreign : is_read_by_own_scripts(*dialect);
  if (request.code == nullptr || request.files == nullptr) return std::nullopt;
  const bool has_network = !is_bare && dialect != nullptr && trains_own_networks(*dialect) &&
                           request.code->follows_networks();
  if (!is_bare && !has_network) return std::nullopt;
  // Words of a program that is not in the project are no config of its scripts.
  if (is_bare && run.own.format() == Format::shell && request.script.empty()) return std::nullopt;
  const RunFiles& files = *request.files;
  const bool has_options = !request.script.empty();
  const Document* flags = request.command != nullptr ? request.command->flags : nullptr;
  RunCode read;
  CodeRequest asked{
      .document = &run.joined,
      .path = std::string(run.own.path()),
      .entry = run.primary,
      .root = request.root,
      .code = request.code,
      .is_recognised = dialect != nullptr,
      .is_of_framework = dialect != nullptr && dialect->leaf_sections.empty(),
      .program = std::string(request.command != nullptr ? request.command->program : ""),
      .script = request.script,
      .arguments = has_options ? &run.own : flags,
      .may_have_more = request.command != nullptr && request.command->has_unknown,
      .subcommand = std::string(request.command != nullptr ? request.command->subcommand : ""),
      .open = [&files](const std::string& path) -> const Document* {
        const RunFile* file = files.open(path);
        return file->document ? &*file->document : nullptr;
      }};
  if (request.command != nullptr) asked.environment = environment_of(*request.command);
  // Its keys stand in the calls of a program that trains by itself.
  bool is_read = false;
  if (is_python && is_config) {
    asked.script = run.own.path();
    read.code = read_code(asked);
    is_script = is_read = is_training_script(read.code);
    if (!is_read) asked.script = request.script;
  }
  // One that only may be a config is looked for in the scripts of the project first.
  const bool may_be_config =
      is_script && !is_read && dialect != nullptr &&
      run.own.text().find("__main__") == std::string_view::npos &&
      names_config_place(parent_path(run.own.path()), request.code->consumers().scripts());
  if (may_be_config || !is_script) read.code = read_code(asked);
  const bool is_loaded = may_be_config && !read.code.scripts.empty();
  if (is_script && !is_loaded && !is_read) {
    asked.script = run.own.path();
    std::vector<CodeGap> gaps = std::move(read.code.gaps);  // where it is no program itself
    read.code = read_code(asked);
    if (read.code.scripts.empty() && !gaps.empty()) read.code.gaps = std::move(gaps);
  }
  if (has_network) keep_networks(read.code);
  if (dialect != nullptr && dialect->scales_learning_rate) keep_stated_rate(read.code);
  add_options(request, run.own, read.code);
  add_rate_scaling(request, run.own.path(), read.code);
  read.trains = (is_script && !is_loaded) || has_options
                    ? is_training_script(read.code)
                    : is_training_config(read.code, run.joined);
  return read;
}

}  // namespace gpulint
