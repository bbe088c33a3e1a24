#include "lint/file_linter.h"

#include "base/text.h"
#include "estimate/estimate.h"
#include "lint/started_runs.h"
#include "lint/target.h"
#include "plan/agree.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gpulint {
namespace {

/// Settings of a file with the command line's defaults laid over.
FileSettings settings_of(const LintRequest& request, const FileTask& task) {
  FileSettings settings;
  if (task.project != nullptr) settings = settings_for(*task.project, task.relative);
  ProjectFacts facts;
  for (const auto& [name, text] : request.options.default_facts) {
    facts.push_back({name, {text, SourceSpan{}}});
  }
  for (auto& fact : settings.facts) {
    const bool overruled = std::any_of(facts.begin(), facts.end(), [&](const auto& stronger) {
      return stronger.first == fact.first;
    });
    if (!overruled) facts.push_back(std::move(fact));
  }
  settings.facts = std::move(facts);
  return settings;
}

RuleSettings rules_of(const LintShared& shared, const FileTask& task) {
  RuleSettings rules;
  if (task.project != nullptr) rules = task.project->rules;
  if (shared.request.options.previews) {
    for (const Rule& rule : shared.session.catalog().rules()) {
      if (rule.preview) rules.enabled_previews.push_back(rule.id);
    }
  }
  return rules;
}

/// Adds a finding of a rule that is no file of rules/, unless the project switched it off.
void add_builtin(FileOutcome& outcome, const FileTask& task, Finding finding) {
  finding.runs = {task.path};
  if (task.project != nullptr) {
    const RuleSettings& rules = task.project->rules;
    if (std::count(rules.disabled.begin(), rules.disabled.end(), finding.rule) != 0) return;
    const auto severity = rules.severities.find(finding.rule);
    if (severity != rules.severities.end()) finding.severity = severity->second;
  }
  outcome.findings.push_back(std::move(finding));
}

Finding builtin(std::string_view rule, Severity severity, SourceSpan span, std::string message) {
  Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.span = span;
  finding.message = std::move(message);
  return finding;
}

/// Named by a person, who then wants a verdict whatever the file looks like.
bool is_insisted_on(const FileTask& task, const LintRequest& request) {
  return task.named && !request.options.force_exclude;
}

/// Helm, Jinja, Go and cookiecutter write what becomes YAML once it is rendered.
bool is_template(std::string_view text) {
  if (text.find("{%") != std::string_view::npos) return true;
  const std::size_t opened = text.find("{{");
  return opened != std::string_view::npos && text.find("}}", opened) != std::string_view::npos;
}

/// A text nobody can read as a document: a finding when it is meant as a config, else skipped.
void report_unparsed(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                     const Error& error, std::string_view text) {
  if (!is_insisted_on(task, shared.request) &&
      !looks_like_training_config(text, shared.session.catalog().dialects())) {
    outcome.report.state = FileState::skipped;
    outcome.report.reason =
        error.limit && text.empty()
            ? "not read: " + error.message
            : fmt::format("cannot be read ({}) and holds no training keys", error.message);
    return;
  }
  if (!is_insisted_on(task, shared.request) && is_template(text)) {
    outcome.report.state = FileState::skipped;
    outcome.report.reason = "a template, which is YAML only after it is rendered";
    return;
  }
  outcome.report.state = FileState::linted;
  outcome.report.reason = error.message;
  SourceSpan span = error.where;
  if (span.file != task.id) span = {task.id, 0, 0};
  add_builtin(
      outcome, task,
      builtin(error.limit ? kLimitExceeded : kSyntaxError, Severity::error, span, error.message));
}

/// What the reader could live with but the framework's loader cannot.
void report_problems(FileOutcome& outcome, const FileTask& task, const Document& document) {
  for (const Problem& problem : document.problems()) {
    const SourceSpan span{task.id, problem.begin, problem.end};
    switch (problem.kind) {
      case ProblemKind::limit:
        add_builtin(outcome, task, builtin(kLimitExceeded, Severity::error, span, problem.text));
        break;
      case ProblemKind::undefined_alias:
        add_builtin(outcome, task,
                    builtin(kSyntaxError, Severity::error, span,
                            "the alias has no anchor in this document; YAML loaders refuse it"));
        break;
      case ProblemKind::cyclic_alias:
        add_builtin(outcome, task,
                    builtin(kSyntaxError, Severity::error, span,
                            "the alias stands inside its own anchor; write the value out"));
        break;
      case ProblemKind::merge_not_mapping:
        add_builtin(outcome, task,
                    builtin(kSyntaxError, Severity::error, span,
                            "`<<` merges something that is no mapping; YAML loaders refuse it"));
        break;
      case ProblemKind::duplicate_key:    // judged by rules, through the plan's observations
      case ProblemKind::not_strict_json:  // likewise
        break;
    }
  }
}

/// What all runs of one file share.
struct FileContext {
  const SessionView& session;
  const LintRequest& request;
  const KnownModels& models;
  const std::shared_ptr<const KnownModels>& models_kept;
  const FileTask& task;
  const Document& document;
  const Dialect& dialect;
  const FileSettings& settings;
  const RuleSettings& rules;
  const LearningRateReference* reference;
  const Run& run;
};

double headroom_of(const FileContext& file) {
  return file.settings.headroom.value_or(kDefaultHeadroom);
}

/// Points of a curve: as many as a small picture has room for.
constexpr std::size_t kCurvePoints = 160;

void add_fleet(PlanReport& report, const FileContext& file, const ResolvedRun& run) {
  const EstimateRequest request{
      .run = run, .measurements = file.settings.measurements, .headroom = headroom_of(file)};
  report.fleet = fleet_of(request, file.request.options.fleet);
  if (auto curve = step_curve(run, kCurvePoints)) {
    report.curve = std::move(*curve);
  }
}

PlanReport report_on(const FileContext& file, const Plan& plan) {
  const LintOptions& options = file.request.options;
  Target target = resolve_target(file.session, options, plan.facts, file.settings);
  PlanReport report;
  report.phase = plan.phase;
  report.gpu = target.gpu;
  report.host = target.host;
  report.target_reason = std::move(target.reason);
  report.run = ResolvedRun::of(plan, &file.models, {report.gpu, report.host});
  report.estimated = target.gpu != nullptr || target.host != nullptr || options.keep_plans;
  // Without a target only rules that ask for it pay for an estimate.
  if (report.estimated) {
    const EstimateRequest request{.run = *report.run,
                                  .measurements = file.settings.measurements,
                                  .predict_time = options.keep_plans,
                                  .headroom = headroom_of(file)};
    report.estimate = estimate(request);
    if (options.suppose) report.what_if = what_if(request, report.estimate);
  }
  if (!options.fleet.empty()) add_fleet(report, file, *report.run);
  return report;
}

/// Keeps which rules something unknown silenced, one list for all runs of the file.
void add_undecided(std::vector<std::string>& undecided, const std::vector<Silence>& silences) {
  for (const Silence& silence : silences) {
    if (!silence.missing.empty()) undecided.push_back(silence.rule);
  }
  std::sort(undecided.begin(), undecided.end());
  undecided.erase(std::unique(undecided.begin(), undecided.end()), undecided.end());
}

/// A run's findings and report.
void lint_plan(FileOutcome& outcome, const FileContext& file, Plan& plan) {
  const LintOptions& options = file.request.options;
  PlanReport report = report_on(file, plan);
  Subject subject{.plan = &plan,
                  .run = *report.run,
                  .dialect = &file.dialect,
                  .measurements = file.settings.measurements,
                  .headroom = headroom_of(file),
                  .document = &file.document,
                  .dialects = file.session.catalog().dialects(),
                  .estimate = report.estimated ? &report.estimate : nullptr};
  if (file.reference != nullptr) subject.reference = *file.reference;
  const bool keeps_undecided = options.keep_undecided || !outcome.suppressions.empty();
  std::vector<Silence> silences;
  const bool listens = options.explain_silence || keeps_undecided;
  for (Finding& finding :
       file.session.engine().run(subject, file.rules, listens ? &silences : nullptr)) {
    if (!finding.span.known()) finding.span = {file.task.id, 0, 0};
    if (finding.runs.empty()) finding.runs = {file.task.path};
    if (!finding.phase) finding.phase = plan.phase;
    outcome.findings.push_back(std::move(finding));
  }
  if (keeps_undecided) add_undecided(outcome.report.undecided, silences);
  if (options.explain_silence) report.silences = std::move(silences);
  if (options.keep_plans) {
    plan.facts = report.run->facts();  // what a report shows is what was judged
    report.plan = std::make_shared<Plan>(std::move(plan));
    report.sources = file.run.sources();
    report.models = file.models_kept;
    report.measurements = file.settings.measurements;
    report.headroom = headroom_of(file);
  } else {
    report.run.reset();  // twenty kilobytes that nobody asks for
  }
  outcome.report.plans.push_back(std::move(report));
}

/// Text of a task, or an Error.
Result<std::string> text_of(const LintShared& shared, const FileTask& task) {
  if (task.text != nullptr) return *task.text;
  return shared.session.files().read(task.path, shared.request.options.limits.max_bytes);
}

std::span<const std::pair<std::string, std::string>> in_house_keys(const FileTask& task) {
  if (task.project == nullptr) return {};
  return task.project->config.keys;
}

/// The config with everything its run is read from.
Run run_of(const LintShared& shared, const FileTask& task, const Document& document) {
  return assemble_run({.document = &document,
                       .dialects = shared.session.catalog().dialects(),
                       .in_house_keys = in_house_keys(task),
                       .files = &shared.files,
                       .base_keys = &shared.session.base_keys(),
                       .code = shared.code,
                       .root = task.root,
                       .beside = task.beside,
                       .overrides = shared.request.options.overrides});
}

std::vector<Plan> plans_of(const LintShared& shared, const FileTask& task, const Run& run,
                           const FileSettings& settings) {
  return make_plans({.run = &run,
                     .catalog = &shared.session.catalog(),
                     .in_house_keys = in_house_keys(task),
                     .project_facts = settings.facts,
                     .overruling_facts = shared.request.options.facts,
                     .lists_unread = shared.request.options.keep_plans});
}

std::vector<std::string> paths_of(const Run& run) {
  std::vector<std::string> paths;
  for (const RunFile* file : run.reads()) paths.push_back(file->path);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

/// Findings of a run that was read, one report per phase.
void lint_plans(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                const Run& run, std::vector<Plan> plans, const FileSettings& settings,
                const LearningRateReference* reference) {
  const Dialect& dialect = *run.recognition().dialect;
  const RuleSettings rules = rules_of(shared, task);
  const KnownModels& known = shared.session.models();
  const auto models = std::make_shared<const KnownModels>(
      run.model_config() == nullptr ? known : known.with_config(*run.model_config()));
  const FileContext file{shared.session, shared.request, *models,  models, task,
                         run.document(), dialect,        settings, rules,  reference,
                         run};
  for (Plan& plan : plans) lint_plan(outcome, file, plan);
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
                     .beside = started.beside,
                     .overrides = shared.request.options.overrides,
                     .command = &command};
  if (started.config == nullptr && !started.launch->dialect.empty()) {
    const Dialect* dialect = shared.session.catalog().dialect(started.launch->dialect);
    if (dialect != nullptr)
      request.recognition = Recognition{
          .dialect = dialect, .section = started.launch->under, .dialects = dialects};
  }
  Run run = assemble_run(request);
  if (run.recognition().dialect != nullptr || started.launch->otherwise.empty()) return run;
  // Flags that no dialect knows: what its launchers say is true all the same.
  const Dialect* dialect = shared.session.catalog().dialect(started.launch->otherwise);
  if (dialect == nullptr) return run;
  request.recognition = Recognition{.dialect = dialect, .dialects = dialects};
  return assemble_run(request);
}

/// Something that only a run that trains states.
bool states_training(const TrainingPlan& facts) {
  return facts.learning_rate || facts.epochs || facts.max_steps || facts.optimizer ||
         facts.gradient_accumulation_steps || facts.weight_decay || facts.warmup_steps ||
         facts.warmup_ratio;
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
  if (run.recognition().dialect == nullptr || run.recognition().dialect->supplement) return {};
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  // A program whose name says nothing trains where its flags do; one whose name says that it
  // trains, where anything is said of the run.
  const bool is_known = started.launch->role == LauncherStarts::training;
  std::erase_if(plans, [&](const Plan& plan) {
    return !states_training(plan.facts) && !(is_known && states_run(plan.facts));
  });
  return plans;
}

void add_reads(FileReport& report, const Run& run, const std::string& own) {
  for (std::string& path : paths_of(run)) report.reads.push_back(std::move(path));
  std::erase(report.reads, own);
  std::sort(report.reads.begin(), report.reads.end());
  report.reads.erase(std::unique(report.reads.begin(), report.reads.end()), report.reads.end());
}

/// Each training command of a script is a run; false when it starts none.
bool lint_script(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 std::string_view text, const LearningRateReference* reference) {
  std::vector<std::string> limits;
  const std::vector<StartedRun> started =
      started_runs(shared, task.root, task.path, text, task.id, limits);
  const FileSettings settings = settings_of(shared.request, task);
  const LineIndex lines(text);
  std::size_t runs = 0;
  for (const StartedRun& each : started) {
    const Run run = run_of_command(shared, task, each);
    std::vector<Plan> plans = plans_of_command(shared, task, run, each, settings);
    if (plans.empty()) continue;
    if (runs++ == 0) {
      outcome.report.state = FileState::linted;
      outcome.report.dialect = run.recognition().dialect->id;
      outcome.suppressions = read_suppressions(*each.launch->all);
    }
    if (started.size() > 1 || plans.size() > 1) {
      const std::string name = fmt::format("{} (line {})", each.launch->program,
                                           lines.at(text, each.launch->place.begin).line);
      for (Plan& plan : plans)
        plan.phase = plan.phase ? fmt::format("{}, {}", name, *plan.phase) : name;
    }
    if (each.config != nullptr) outcome.report.reads.push_back(each.config->path);
    add_reads(outcome.report, run, task.path);
    lint_plans(outcome, shared, task, run, std::move(plans), settings, reference);
  }
  return runs > 0;
}

/// A config that scripts outside of this lint start: what is true of it under all of them.
bool lint_started_config(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                         const Document& document, const LearningRateReference* reference) {
  // Of a whole folder the scripts are linted beside their configs.
  if (shared.launches == nullptr || (!task.named && !shared.request.only)) return false;
  // What a README shows is said of the run where facts are asked for; nothing is judged by it.
  std::vector<StartedRun> started = shared.launches->runs_of(
      shared, task.root, task.path, shared.request.options.keep_plans);
  constexpr std::size_t kMostStarts = 16;  // more scripts of one config agree on little
  if (started.empty() || started.size() > kMostStarts) return false;
  const FileSettings settings = settings_of(shared.request, task);
  std::vector<Run> runs;
  std::vector<Plan> plans;
  std::vector<std::string> reads;
  for (StartedRun& each : started) {
    each.beside.insert(each.beside.end(), task.beside.begin(), task.beside.end());
    Run run = run_of_command(shared, task, each);
    const std::vector<std::string> read = paths_of(run);
    const bool is_config = each.config != nullptr && each.config->path == task.path;
    if (!is_config && std::find(read.begin(), read.end(), task.path) == read.end()) continue;
    std::vector<Plan> found = plans_of_command(shared, task, run, each, settings);
    if (found.size() != 1) return false;  // phases, or no training: it is judged as it stands
    plans.push_back(std::move(found.front()));
    reads.push_back(each.path);
    reads.insert(reads.end(), read.begin(), read.end());
    runs.push_back(std::move(run));
  }
  if (runs.empty()) return false;
  const Run& run = runs.front();
  outcome.report.reads = std::move(reads);
  add_reads(outcome.report, run, task.path);
  outcome.report.state = FileState::linted;
  outcome.report.dialect = run.recognition().dialect->id;
  if (run.primary() != nullptr) outcome.report.variant_of = run.primary()->path;
  report_problems(outcome, task, document);
  outcome.text_findings = outcome.findings.size();
  outcome.suppressions = read_suppressions(document);
  Plan plan = agreed_plan(std::move(plans));
  if (reference == nullptr)
    outcome.learning = learning_run(plan, run.document(), *run.recognition().dialect);
  std::vector<Plan> agreed;
  agreed.push_back(std::move(plan));
  lint_plans(outcome, shared, task, run, std::move(agreed), settings, reference);
  return true;
}

void lint_document(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                   const Document& document, const LearningRateReference* reference) {
  if (lint_started_config(outcome, shared, task, document, reference)) return;
  const Run run = run_of(shared, task, document);
  outcome.report.reads = paths_of(run);
  if (run.primary() != nullptr) outcome.report.variant_of = run.primary()->path;
  const Recognition& recognition = run.recognition();
  if (recognition.dialect == nullptr) {
    outcome.report.reason = recognition.reason.empty() ? "no training keys" : recognition.reason;
    return;
  }
  const bool trains = recognition.role.empty() || !recognition.judged_by.empty();
  if (!trains && !shared.request.options.keep_plans) {
    outcome.report.reason = recognition.role;
    return;
  }
  const Dialect* dialect = recognition.dialect;
  outcome.report.state = FileState::linted;
  outcome.report.dialect = dialect->id;
  report_problems(outcome, task, document);
  outcome.text_findings = outcome.findings.size();
  outcome.suppressions = read_suppressions(document);
  const FileSettings settings = settings_of(shared.request, task);
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  if (plans.size() == 1 && reference == nullptr) {
    outcome.learning = learning_run(plans.front(), run.document(), *dialect);
  }
  lint_plans(outcome, shared, task, run, std::move(plans), settings, reference);
}

}  // namespace

FileOutcome lint_file(const LintShared& shared, const FileTask& task,
                      const LearningRateReference* reference) {
  const LintRequest& request = shared.request;
  FileOutcome outcome;
  outcome.report.path = task.path;
  if (const Buffer* buffer = shared.session.buffer(task.path)) {
    outcome.report.version = buffer->version;
  }
  if (task.project != nullptr && !is_insisted_on(task, request) &&
      is_excluded(*task.project, task.relative)) {
    outcome.report.reason = "excluded by " + task.project->config.path;
    return outcome;
  }
  if (file_name(task.path) == ".gpulint.yaml") {
    outcome.report.reason = "gpulint's own settings, not a training config";
    return outcome;
  }
  Result<std::string> text = text_of(shared, task);
  if (!text) {
    const Error error = std::move(text).error();
    if (error.limit) {
      report_unparsed(outcome, shared, task, error, {});
      return outcome;
    }
    outcome.report.state = FileState::unreadable;
    outcome.report.reason = error.message;
    outcome.error = error;
    return outcome;
  }
  if (may_be_script(task.path)) {
    if (lint_script(outcome, shared, task, *text, reference)) {
      const bool is_shown = !outcome.findings.empty() || !outcome.suppressions.empty();
      if (is_shown || request.options.keep_plans) outcome.text = std::move(*text);
      return outcome;
    }
    outcome.report.reason = "starts no training that gpulint knows";
    if (!task.named) return outcome;
  }
  const Result<Document> document =
      shared.session.parsed().read(task.path, *text, task.id, request.options.limits);
  if (!document) {
    report_unparsed(outcome, shared, task, document.error(), *text);
  } else {
    lint_document(outcome, shared, task, *document, reference);
  }
  if (!outcome.findings.empty() || !outcome.suppressions.empty() || request.options.keep_plans) {
    outcome.text = std::move(*text);
  }
  return outcome;
}

std::optional<LearningRun> read_learning_run(const LintShared& shared, const FileTask& task) {
  const auto text = text_of(shared, task);
  if (!text) return std::nullopt;
  const auto document =
      shared.session.parsed().read(task.path, *text, task.id, shared.request.options.limits);
  if (!document) return std::nullopt;
  const Run run = run_of(shared, task, *document);
  if (run.recognition().dialect == nullptr) return std::nullopt;
  const std::vector<Plan> plans = plans_of(shared, task, run, settings_of(shared.request, task));
  if (plans.size() != 1) return std::nullopt;
  return learning_run(plans.front(), run.document(), *run.recognition().dialect);
}

}  // namespace gpulint
