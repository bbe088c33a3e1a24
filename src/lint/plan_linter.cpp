#include "lint/plan_linter.h"

#include "base/text.h"
#include "estimate/estimate.h"
#include "lint/programs.h"
#include "lint/recordings.h"
#include "lint/target.h"
#include "lint/text_findings.h"
#include "run/stated_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

RuleSettings rules_of(const LintShared& shared, const FileTask& task) {
  RuleSettings rules;
  if (task.project != nullptr) rules = task.project->rules;
  const LintOptions& options = shared.request.options;
  if (options.previews) {
    for (const Rule& rule : shared.session.catalog().rules()) {
      if (rule.preview) rules.enabled_previews.push_back(rule.id);
    }
  }
  rules.enabled_previews.insert(rules.enabled_previews.end(), options.select.begin(),
                                options.select.end());
  return rules;
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

void add_fleet(PlanReport& report, const FileContext& file, const ResolvedRun& run) {
  const EstimateRequest request{
      .run = run, .measurements = file.settings.measurements, .headroom = headroom_of(file)};
  report.fleet = fleet_of(request, file.request.options.fleet);
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
  const bool shows_all = options.keep_plans && !options.only_compares;
  report.estimated = target.gpu != nullptr || target.host != nullptr || shows_all;
  // Without a target only rules that ask for it pay for an estimate.
  if (report.estimated) {
    const EstimateRequest request{.run = *report.run,
                                  .measurements = file.settings.measurements,
                                  .predict_time = shows_all,
                                  .headroom = headroom_of(file)};
    report.estimate = estimate(request);
    report.devices = least_devices(request, report.estimate);
    if (options.suppose) {
      report.what_if = what_if(request, report.estimate);
      report.conditions = conditions_of(request, report.estimate);
    }
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
                  .estimate = report.estimated ? &report.estimate : nullptr,
                  .devices = report.devices ? &*report.devices : nullptr};
  if (file.reference != nullptr) subject.reference = *file.reference;
  const bool keeps_undecided = options.keep_undecided || !outcome.suppressions.empty();
  std::vector<Silence> silences;
  const bool listens = options.explain_silence || keeps_undecided;
  for (Finding& finding :
       file.session.engine().run(subject, file.rules, listens ? &silences : nullptr)) {
    if (!finding.span.known()) finding.span = {file.task.id, 0, 0};
    finding.runs = {file.task.path};  // of a command that is its script, whatever config it starts
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

/// The models for a run whose config may describe its network by its geometry, or be named by it.
KnownModels with_stated_network(const KnownModels& known, const LintShared& shared,
                                const Document& config) {
  const Catalog& catalog = shared.session.catalog();
  const std::vector<std::string>& beside = catalog.words("networks-beside");
  const std::vector<std::string>& ignored = catalog.words("no-networks");
  const auto knows = [&](std::string_view name) { return known.find(name).has_value(); };
  const auto network =
      stated_network(config, catalog.all_described<NetworkForm>(), {beside, ignored, knows});
  if (!network) return known.with_file_name(config.path());
  return known.with_network(*network, config.path());
}

/// The same where the project's code was followed: that comes before what has the size alone, a
/// part of the network, or the field's common words.
KnownModels with_followed_step(const KnownModels& known, const Run& run) {
  const std::optional<FollowedNetwork>& followed = run.code().followed;
  if (!followed) return known;
  const bool is_whole = followed->missing.empty();
  const auto& other = known.network();
  if (other && !(is_whole && (!other->missing.empty() || other->loose))) return known;
  return known.with_followed({followed->name, followed->place, followed->text, followed->missing,
                              followed->certain_share});
}

/// The models a run's files leave open which of is its own, with what keeps them alive.
struct RunModels {
  std::shared_ptr<const OwnNetworks> own;
  std::optional<NamedNetwork> named;
  std::optional<KnownModels> models;
};

/// Whether a network is the recorded one is likely, not known.
const NetworkForm& likely_form() {
  static const NetworkForm kForm = [] {
    NetworkForm form;
    form.id = "recorded";
    form.loose = true;
    return form;
  }();
  return kForm;
}

/// `follows`: what the run's code was followed to is what is judged.
RunModels models_of(const LintShared& shared, const FileTask& task, const Run& run, bool follows) {
  RunModels models;
  if (shared.networks != nullptr) models.own = shared.networks->around(task.path);
  const bool has_own = models.own && models.own->models;
  const KnownModels& known = has_own ? *models.own->models : shared.session.models();
  if (run.model_config() != nullptr) {
    models.models = known.with_config(*run.model_config());
    return models;
  }
  if (run.has_own_network()) {
    models.models = known;
    return models;
  }
  const Document& config = run.document();
  const Catalog& catalog = shared.session.catalog();
  if (models.own && !models.own->found.empty()) {
    models.named = named_network(
        config, *models.own, {catalog.words("network-sections"), catalog.words("network-names")});
  }
  if (!models.named) {
    models.models = with_stated_network(known, shared, config);
    if (follows) models.models = with_followed_step(*models.models, run);
  } else if (!models.named->differs.empty()) {
    // Of the same class with other arguments: the recording says nothing of it.
    const KnownModels shipped(ModelFiles(catalog.model_files().archive, {}));
    models.models = with_stated_network(shipped, shared, config);
  } else if (!models.named->open.empty()) {
    StatedNetwork network;
    network.form = &likely_form();
    network.pointer = config.pointer(models.named->at);
    network.models = {models.named->network->id};
    models.models = known.with_network(network, config.path());
  } else {
    models.models = known;
  }
  return models;
}

/// The recording behind the model of a plan, and what is to be said of it.
void use_recording(FileOutcome& outcome, const FileTask& task, const RunModels& models,
                   const Document& config, Plan& plan) {
  if (!models.own) return;
  const SourceSpan at = models.named       ? config.span(models.named->at)
                        : plan.facts.model ? plan.facts.model->from.span
                                           : SourceSpan{};
  if (models.named && !models.named->differs.empty()) {
    const RecordedNetwork& other = *models.named->network;
    return report_recording(
        outcome, task, at,
        fmt::format("the recording \"{}\" is not used: {}; record this network under a name of its "
                    "own (gpulint-record --name): {}",
                    other.id, models.named->differs, escape_for_display(other.recording.command)));
  }
  const RecordedNetwork* network = models.named ? models.named->network : nullptr;
  if (network == nullptr && plan.facts.model) {
    const auto found = models.models->find(plan.facts.model->value);
    if (found) network = recorded_as(*models.own, found->entry.path);
  }
  if (network == nullptr) return;
  const bool overruled = plan.facts.model && plan.facts.model->from.origin == Origin::project;
  if (models.named && overruled) return;
  if (models.named) {
    // With arguments that nobody recorded it is likely this network: then no model is named.
    Provenance from{.span = at};
    from.pointer = config.pointer(models.named->at);
    name_model(models.named->open.empty() ? network->id : "", std::move(from), plan);
  }
  add_recorded_facts(*network, plan);
  if (network->changed.empty()) return;
  report_recording(outcome, task, at,
                   fmt::format("the recording \"{}\" may be out of date: {}; record it again: {}",
                               network->id, fmt::join(network->changed, ", "),
                               escape_for_display(network->recording.command)));
}

/// Facts that speak of one GPU, or of one machine.
constexpr std::array<std::string_view, 2> kFactsOfGpu{"gpu_memory", "cuda_context"};
constexpr std::array<std::string_view, 4> kFactsOfHost{"cpu_cores", "ram", "shm", "price_per_hour"};

/// What a project states of its GPU and its host does not hold of another that the command line
/// asks about.
void forget_facts_of_others(const Catalog& catalog, const LintOptions& options,
                            FileSettings& settings) {
  const Host* own_host = settings.host ? catalog.find_host(*settings.host) : nullptr;
  const Host* asked_host = options.host ? catalog.find_host(*options.host) : nullptr;
  const auto gpu_of = [&](const std::optional<std::string>& gpu, const Host* host) {
    if (gpu) return catalog.find_gpu(*gpu);
    return host == nullptr || host->gpu.empty() ? nullptr : catalog.gpu(host->gpu);
  };
  const Gpu* own_gpu = gpu_of(settings.gpu, own_host);
  const Gpu* asked_gpu = gpu_of(options.gpu, asked_host);
  const auto forget = [&](std::span<const std::string_view> names) {
    std::erase_if(settings.facts, [&](const auto& fact) {
      return std::find(names.begin(), names.end(), fact.first) != names.end();
    });
  };
  if (own_gpu != nullptr && asked_gpu != nullptr && own_gpu != asked_gpu) forget(kFactsOfGpu);
  const bool other_host = asked_host != nullptr && own_host != asked_host;
  if (own_host != nullptr && (other_host || (asked_gpu != nullptr && own_gpu != asked_gpu))) {
    forget(kFactsOfHost);
  }
}

/// Files of one model each say so in their first comment: "Model defaults for org/name".
std::string commented_model(const Document& document) {
  if (document.comments().empty()) return {};
  const Comment& first = document.comments().front();
  const std::string_view text = trim(document.text().substr(first.begin, first.end - first.begin));
  for (const std::string_view word : split(text, ' ')) {  // "(base/pretrained)" may stand behind it
    const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) {
      return is_name_part(c) || c == '-' || c == '.' || c == '/';
    });
    if (is_plain && std::count(word.begin(), word.end(), '/') == 1 && !word.starts_with('/') &&
        !word.ends_with('/')) {
      return std::string(word);
    }
  }
  return {};
}

}  // namespace

FileSettings settings_of(const LintShared& shared, const FileTask& task) {
  const LintOptions& options = shared.request.options;
  FileSettings settings;
  if (task.project != nullptr) settings = settings_for(*task.project, task.relative);
  forget_facts_of_others(shared.session.catalog(), options, settings);
  ProjectFacts facts;
  for (const auto& [name, text] : options.default_facts) {
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

std::span<const KeyMapping> in_house_keys(const FileTask& task) {
  if (task.project == nullptr) return {};
  return task.project->config.keys;
}

Run run_of(const LintShared& shared, const FileTask& task, const Document& document,
           const RunCommand* command) {
  return assemble_run({.document = &document,
                       .dialects = shared.session.catalog().dialects(),
                       .in_house_keys = in_house_keys(task),
                       .files = &shared.files,
                       .base_keys = &shared.session.base_keys(),
                       .code = shared.code,
                       .root = task.root,
                       .beside = task.beside,
                       .overrides = shared.request.options.overrides,
                       .command = command});
}

std::vector<Plan> plans_of(const LintShared& shared, const FileTask& task, const Run& run,
                           const FileSettings& settings) {
  std::vector<Plan> plans = make_plans({.run = &run,
                                        .catalog = &shared.session.catalog(),
                                        .in_house_keys = in_house_keys(task),
                                        .project_facts = settings.facts,
                                        .overruling_facts = shared.request.options.facts,
                                        .explains = shared.request.options.keep_plans});
  const Dialect* dialect = run.recognition().dialect;
  constexpr std::string_view kTrait = "first_comment_names_model";
  if (dialect == nullptr ||
      std::find(dialect->traits.begin(), dialect->traits.end(), kTrait) == dialect->traits.end())
    return plans;
  const std::string model = commented_model(run.document());
  for (Plan& plan : plans) {
    if (plan.facts.model || model.empty()) continue;
    Provenance from{.origin = Origin::derived};
    from.detail = "the comment at the top of the file";
    name_model(model, std::move(from), plan);
  }
  return plans;
}

std::vector<std::string> paths_of(const Run& run) {
  std::vector<std::string> paths;
  for (const RunFile* file : run.reads()) paths.push_back(file->path);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

void lint_plans(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                const Run& run, std::vector<Plan> plans, const FileSettings& settings,
                const LearningRateReference* reference) {
  const Dialect& dialect = *run.recognition().dialect;
  const RuleSettings rules = rules_of(shared, task);
  note_programs(run.code(), outcome);
  const bool follows = std::none_of(plans.begin(), plans.end(),
                                    [](const Plan& each) { return each.has_other_networks; });
  const auto kept = std::make_shared<const RunModels>(models_of(shared, task, run, follows));
  const std::shared_ptr<const KnownModels> models(kept, &*kept->models);
  const FileContext file{shared.session, shared.request, *models, models,    task, run.document(),
                         dialect,        settings,       rules,   reference, run};
  for (Plan& plan : plans) {
    use_recording(outcome, task, *kept, run.document(), plan);
    lint_plan(outcome, file, plan);
  }
}

}  // namespace gpulint
