#include "lint/command_linter.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "launch/carried_commands.h"
#include "lint/absent_program.h"
#include "lint/broken_commands.h"
#include "lint/chosen_starts.h"
#include "lint/composed_runs.h"
#include "lint/job_output.h"
#include "lint/launch_index.h"
#include "lint/own_options.h"
#include "lint/plan_linter.h"
#include "lint/programs.h"
#include "lint/refused_options.h"
#include "lint/started_runs.h"
#include "lint/text_findings.h"
#include "plan/agree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

/// The program of a framework's command line makes a network of its own.
bool builds_own_network(const LintShared& shared, const FileTask& task, const Dialect& dialect,
                        const std::string& program) {
  if (dialect.own_network.empty() || program.empty() || shared.code == nullptr) return false;
  const python::Module* module = shared.code->module(task.root, program);
  const auto stands = [&](const std::string& word) {
    return module->text.find(word) != std::string::npos;
  };
  const auto has_any = [&](const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), stands);
  };
  return module != nullptr && has_any(dialect.own_network) && !has_any(dialect.usual_network);
}

/// The run of a command of a script: the config it starts with its words over it, or its words.
Run run_of_command(const LintShared& shared, const FileTask& task, const StartedRun& started) {
  const std::span<const Dialect> dialects = shared.session.catalog().dialects();
  const RunCommand command = command_of(started);
  RunRequest request{.document = started.config != nullptr ? &*started.config->document
                                                           : started.launch->all.get(),
                     .dialects = dialects,
                     .in_house_keys = in_house_keys(task),
                     .files = &shared.files,
                     .base_keys = &shared.session.base_keys(),
                     .code = shared.code,
                     .script = started.config == nullptr ? started.program : std::string(),
                     .root = task.root,
                     .over = started.over,
                     .beside = started.beside,
                     .overrides = shared.request.options.overrides,
                     .command = &command};
  if (started.config == nullptr && !started.launch->dialect.empty()) {
    const Dialect* dialect = shared.session.catalog().dialect(started.launch->dialect);
    if (dialect != nullptr) {
      request.recognition =
          Recognition{.dialect = dialect, .section = started.launch->under, .dialects = dialects};
      request.has_own_network = builds_own_network(shared, task, *dialect, started.program);
    }
  }
  Run run = assemble_run(request);
  if (run.recognition().dialect != nullptr || started.launch->otherwise.empty()) return run;
  // Flags that no dialect knows: what its launchers say is true all the same.
  const Dialect* dialect = shared.session.catalog().dialect(started.launch->otherwise);
  if (dialect == nullptr) return run;
  request.recognition = Recognition{.dialect = dialect, .dialects = dialects};
  return assemble_run(request);
}

/// Something that only a run that trains states. What code says of which no training was followed
/// is said of any program of it.
bool states_training(const TrainingPlan& facts, bool is_followed) {
  const auto states = [&](const auto& fact) {
    return fact && (is_followed || fact->from.origin != Origin::code);
  };
  return states(facts.learning_rate) || states(facts.epochs) || states(facts.max_steps) ||
         states(facts.optimizer) || states(facts.gradient_accumulation_steps) ||
         states(facts.weight_decay) || states(facts.warmup_steps) || states(facts.warmup_ratio);
}

bool is_of_command(const Provenance& from) {
  return from.origin == Origin::stated && !from.pointer.starts_with("/env/");
}

/// Something that a command says of any run: how many ranks, how large a batch.
bool states_run(const TrainingPlan& facts) {
  return facts.per_device_batch_size || facts.global_batch_size ||
         (facts.gpus_per_node && is_of_command(facts.gpus_per_node->from)) ||
         (facts.world_size && is_of_command(facts.world_size->from)) ||
         (facts.nodes && is_of_command(facts.nodes->from));
}

std::vector<Plan> plans_of_command(const LintShared& shared, const FileTask& task, const Run& run,
                                   const StartedRun& started, const FileSettings& settings) {
  const Dialect* dialect = run.recognition().dialect;
  if (dialect == nullptr || dialect->supplement) return {};
  if (started.config == nullptr && turns_training_off(shared, started)) return {};
  if (started.launch->role == LauncherStarts::other && run.code().scripts.empty()) return {};
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  // A program whose name says nothing trains where its flags do; one whose name says that it
  // trains, where anything is said of the run.
  const bool is_known = started.launch->role == LauncherStarts::training;
  std::erase_if(plans, [&](const Plan& plan) {
    return !states_training(plan.facts, !run.code().scripts.empty()) && !(is_known && states_run(plan.facts));
  });
  return plans;
}

void add_reads(FileReport& report, const Run& run, const std::string& own) {
  for (std::string& path : paths_of(run)) report.reads.push_back(std::move(path));
  std::erase(report.reads, own);
  std::sort(report.reads.begin(), report.reads.end());
  report.reads.erase(std::unique(report.reads.begin(), report.reads.end()), report.reads.end());
}

/// What the config says by itself, with what `shown` adds.
Plan with_own(const LintShared& shared, const FileTask& task, const Document& document,
              const RunCommand* command, Plan shown) {
  Run own = run_of(shared, task, document, command);
  // A program that is shown and does not train by the config is not the only one that may.
  const bool names_program = command != nullptr && !command->program.empty();
  if (names_program && own.code().scripts.empty()) own = run_of(shared, task, document);
  if (own.recognition().dialect == nullptr) return shown;
  std::vector<Plan> plans = plans_of(shared, task, own, settings_of(shared, task));
  if (plans.size() != 1) return shown;
  return filled_plan(std::move(plans.front()), shown, !own.recognition().dialect->supplement,
                     document.format() == Format::python);
}

/// Judges what all runs of a config agree on; `run`: one of them.
void lint_agreed(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 const Document& document, const Run& run, Plan plan,
                 const LearningRateReference* reference) {
  add_reads(outcome.report, run, task.path);
  outcome.report.state = FileState::linted;
  outcome.report.dialect = run.recognition().dialect->id;
  if (run.primary() != nullptr) outcome.report.variant_of = run.primary()->path;
  report_problems(outcome, task, document);
  outcome.text_findings = outcome.findings.size();
  outcome.suppressions = read_suppressions(document);
  if (reference == nullptr)
    outcome.learning = learning_run(plan, run.document(), *run.recognition().dialect);
  observe_own_options(shared, task.root, programs_of(task.path, run), plan.observations);
  std::vector<Plan> agreed;
  agreed.push_back(std::move(plan));
  lint_plans(outcome, shared, task, run, std::move(agreed), settings_of(shared, task), reference);
}

/// A part of other configs' runs: what those agree on fills in what it leaves open.
bool lint_composed_config(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                          const Document& document, const LearningRateReference* reference) {
  std::vector<Run> runs = runs_around(shared, task);
  const bool is_laid_over = runs.empty();
  if (is_laid_over) runs = runs_laid_over(shared, task);
  if (runs.empty()) return false;
  const FileSettings settings = settings_of(shared, task);
  std::vector<Plan> plans;
  std::vector<std::string> reads;
  for (const Run& run : runs) {
    std::vector<Plan> found = plans_of(shared, task, run, settings);
    if (found.size() != 1) return false;
    plans.push_back(std::move(found.front()));
    for (std::string& path : paths_of(run)) reads.push_back(std::move(path));
  }
  outcome.report.reads = std::move(reads);
  const bool is_one = is_laid_over && plans.size() == 1;
  Plan plan = agreed_plan(std::move(plans));
  if (!is_one) plan = with_own(shared, task, document, nullptr, std::move(plan));
  lint_agreed(outcome, shared, task, document, runs.front(), std::move(plan), reference);
  return true;
}

}  // namespace

namespace {

bool lint_started(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                  std::string_view text, const std::vector<StartedRun>& started,
                  std::vector<std::string> limits, const LearningRateReference* reference) {
  const FileSettings settings = settings_of(shared, task);
  const LineIndex lines(text);
  std::size_t runs = 0;
  bool is_broken = false;
  for (const StartedRun& each : started) {
    const Run run = run_of_command(shared, task, each);
    std::vector<Plan> plans = plans_of_command(shared, task, run, each, settings);
    if (plans.empty()) {
      is_broken = lint_broken_command(outcome, shared, task, text, each) || is_broken;
      continue;
    }
    if (runs++ == 0) {
      outcome.report.state = FileState::linted;
      outcome.report.dialect = run.recognition().dialect->id;
      outcome.suppressions = read_suppressions(*each.launch->all);
    }
    if (each.path == task.path) {
      observe_refused_options(shared, task, text, each, plans.front().observations);
      observe_absent_program(shared, task, text, each, plans.front().observations);
      if (runs == 1) observe_job_output(shared, task, text, plans.front().observations);
    } else {
      outcome.programs.push_back(each.path);
      outcome.report.reads.push_back(each.path);
    }
    observe_own_options(shared, task.root, {&each.program, 1}, plans.front().observations);
    for (Plan& plan : plans) point_at_choices(*each.launch, plan.observations);
    if (started.size() > 1 || plans.size() > 1) {
      const std::string name = fmt::format("{} (line {})", each.launch->program,
                                           lines.at(text, each.launch->place.begin).line);
      for (Plan& plan : plans)
        plan.phase = plan.phase ? fmt::format("{}, {}", name, *plan.phase) : name;
    }
    if (each.config != nullptr) outcome.report.reads.push_back(each.config->path);
    if (!each.program.empty()) outcome.programs.push_back(each.program);
    add_reads(outcome.report, run, task.path);
    outcome.group_folders.insert(outcome.group_folders.end(), run.group_folders().begin(),
                                 run.group_folders().end());
    const std::vector<Observation>& observed = plans.front().observations;
    const bool is_refused =
        std::any_of(observed.begin(), observed.end(),
                    [](const Observation& item) { return item.list == "refused_options"; });
    const auto before = static_cast<std::ptrdiff_t>(outcome.findings.size());
    lint_plans(outcome, shared, task, run, std::move(plans), settings, reference);
    // A command that its program refuses says nothing of the configs that it names.
    if (!is_refused) continue;
    outcome.findings.erase(
        std::remove_if(outcome.findings.begin() + before, outcome.findings.end(),
                       [&](const Finding& other) { return other.span.file != task.id; }),
        outcome.findings.end());
  }
  if (runs > 0) report_script_limits(outcome, task, std::move(limits));
  return runs > 0 || is_broken;
}

}  // namespace

bool lint_script(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 std::string_view text, const LearningRateReference* reference) {
  std::vector<std::string> limits;
  const std::vector<StartedRun> started =
      started_runs(shared, task.root, task.path, text, task.id, limits);
  return lint_started(outcome, shared, task, text, started, std::move(limits), reference);
}

bool lint_carrier(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                  const Document& document, const LearningRateReference* reference) {
  if (!may_carry_commands(document)) return false;
  const Launcher* carrier =
      carrier_of(document, shared.session.catalog().all_described<Launcher>());
  if (carrier == nullptr) return false;
  if (carrier->carried->named_only && !is_insisted_on(task, shared.request)) return false;
  std::vector<std::string> limits;
  const std::vector<StartedRun> started =
      started_runs(shared, task.root, task.path, document, *carrier, limits);
  return lint_started(outcome, shared, task, document.text(), started, std::move(limits),
                      reference);
}

namespace {

/// Judges what the commands that start a config agree on. `is_added`: it fills in what the config
/// says by itself.
bool lint_started_by(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                     const Document& document, std::vector<StartedRun> started, bool is_added,
                     const LearningRateReference* reference) {
  choose_starts(shared, started);
  const FileSettings settings = settings_of(shared, task);
  std::vector<Run> runs;
  std::vector<Plan> plans;
  std::vector<std::string> reads;
  for (StartedRun& each : started) {
    each.beside.insert(each.beside.end(), task.beside.begin(), task.beside.end());
    Run run = run_of_command(shared, task, each);
    const std::vector<std::string> read = paths_of(run);
    const bool is_config = each.config != nullptr && each.config->path == task.path;
    const bool is_read = contains(read, task.path) || contains(run.code().modules, task.path) ||
                         contains(run.code().loaded, task.path);
    if (!is_config && !is_read) continue;
    std::vector<Plan> found = plans_of_command(shared, task, run, each, settings);
    if (found.empty()) continue;          // it trains nothing by the config
    if (found.size() != 1) return false;  // phases: it is judged as it stands
    plans.push_back(std::move(found.front()));
    reads.push_back(each.path);
    reads.insert(reads.end(), read.begin(), read.end());
    runs.push_back(std::move(run));
  }
  if (runs.empty()) return false;
  outcome.report.reads = std::move(reads);
  Plan plan = agreed_plan(std::move(plans));
  if (is_added) {
    const bool is_one = std::all_of(started.begin(), started.end(), [&](const StartedRun& each) {
      return each.program == started.front().program;
    });
    RunCommand command;
    if (is_one) command.program = started.front().program;
    // Where they start different programs, the config's own is asked, as if nothing were shown.
    plan = with_own(shared, task, document, is_one ? &command : nullptr, std::move(plan));
  }
  lint_agreed(outcome, shared, task, document, runs.front(), std::move(plan), reference);
  return true;
}

/// A file that only adds to what another one describes.
bool is_supplement(const LintShared& shared, const Document& document) {
  const Recognition found = recognise(document, shared.session.catalog().dialects());
  return found.dialect != nullptr && found.dialect->supplement;
}

}  // namespace

bool lint_started_config(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                         const Document& document, const LearningRateReference* reference) {
  // Of a whole folder the scripts are linted beside their configs.
  if (shared.launches == nullptr || (!task.named && !shared.request.only)) return false;
  const LaunchIndex& index = *shared.launches;
  std::vector<StartedRun> started = index.scripts_of(shared, task.root, task.path);
  if (started.empty() && is_supplement(shared, document)) {
    started = index.scripts_of_namers(shared, task.root, task.path);
    if (lint_started_by(outcome, shared, task, document, std::move(started), false, reference))
      return true;
    started.clear();
  }
  if (!started.empty())
    return lint_started_by(outcome, shared, task, document, std::move(started), false, reference);
  started = index.starts_of_loaders(shared, task.root, task.path);
  if (lint_started_by(outcome, shared, task, document, std::move(started), true, reference))
    return true;
  // What a README shows fills in what nothing else says, where facts are asked for; nothing is
  // judged by it.
  if (!shared.request.options.keep_plans) return false;
  started = index.shown_for(shared, task.root, task.path);
  if (started.empty()) started = index.templates_of(shared, task.root, task.path);
  if (started.empty()) return lint_composed_config(outcome, shared, task, document, reference);
  if (!lint_started_by(outcome, shared, task, document, std::move(started), true, reference))
    return false;
  // Settings that a command was shown with describe no run where the command's own config is not
  // at hand.
  const Dialect* own = run_of(shared, task, document).recognition().dialect;
  if (own != nullptr && own->supplement) outcome.report.dialect = own->id;
  return true;
}

bool lint_started_program(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                          const Document& document, const LearningRateReference* reference) {
  if (shared.launches == nullptr) return false;
  std::vector<StartedRun> started = shared.launches->starts_of(shared, task.root, task.path);
  if (started.empty()) return false;
  constexpr std::size_t kMostShown = 16;  // of more, these agree on little enough
  if (started.size() > kMostShown) started.resize(kMostShown);
  const FileSettings settings = settings_of(shared, task);
  std::vector<Plan> plans;
  std::vector<Run> runs;
  runs.push_back(run_of(shared, task, document));
  if (runs.front().recognition().dialect == nullptr) return false;
  plans = plans_of(shared, task, runs.front(), settings);
  if (task.is_program && !states_a_run(plans)) return false;
  std::optional<Plan> own;
  if (shared.request.options.keep_plans) {
    if (plans.size() == 1) own = std::move(plans.front());
    plans.clear();
  }
  for (const StartedRun& each : started) {
    Run run = run_of_command(shared, task, each);
    std::vector<Plan> found = plans_of_command(shared, task, run, each, settings);
    if (found.size() != 1 || !run.recognition().role.empty()) continue;
    plans.push_back(std::move(found.front()));
    runs.push_back(std::move(run));
  }
  if (runs.size() == 1) return false;
  Plan plan = own ? agreed_program(std::move(plans), *own) : agreed_plan(std::move(plans));
  lint_agreed(outcome, shared, task, document, runs.back(), std::move(plan), reference);
  return true;
}

}  // namespace gpulint
