#include "lint/file_linter.h"

#include "base/text.h"
#include "launch/carried_commands.h"
#include "lint/command_linter.h"
#include "lint/copied_folders.h"
#include "lint/other_options.h"
#include "lint/own_options.h"
#include "lint/plan_linter.h"
#include "lint/programs.h"
#include "lint/project_tree.h"
#include "lint/text_findings.h"
#include "source/notebook.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

bool is_code(std::string_view path) { return path.ends_with(".py") || is_notebook(path); }

/// Python that is started, not loaded.
bool is_started(const Document& document) {
  return is_notebook(document.path()) ||
         (document.path().ends_with(".py") &&
          document.text().find("__main__") != std::string_view::npos &&
          !is_python_config(document.path(), document.text()));
}

/// Names at the top of a script are no keys of a config: its calls say what it does.
Document without_names(const Document& document) {
  Document::Storage storage;
  storage.path = document.path();
  storage.text = document.text();
  storage.format = document.format();
  storage.comments.assign(document.comments().begin(), document.comments().end());
  Node& top = storage.nodes.emplace_back();
  top.kind = NodeKind::mapping;
  storage.roots.push_back(0);
  return Document::own(std::move(storage), {}, document.file());
}

/// Text of a task, or an Error.
Result<std::string> text_of(const LintShared& shared, const FileTask& task) {
  if (task.text != nullptr) return *task.text;
  return shared.session.files().read(task.path, shared.request.options.limits.max_bytes);
}

void lint_document(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                   const Document& document, const LearningRateReference* reference) {
  if (lint_started_config(outcome, shared, task, document, reference)) return;
  const bool is_script =
      document.path().ends_with(".py") && !is_python_config(document.path(), document.text());
  if (is_script && lint_started_program(outcome, shared, task, document, reference)) return;
  const Run run = run_of(shared, task, document);
  outcome.report.reads = paths_of(run);
  if (run.primary() != nullptr) outcome.report.variant_of = run.primary()->path;
  outcome.group_folders.assign(run.group_folders().begin(), run.group_folders().end());
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
  const FileSettings settings = settings_of(shared, task);
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  if (task.is_program && !states_a_run(plans)) {
    outcome.report = {.path = task.path, .reason = "says too little of a run by itself"};
    return;
  }
  if (plans.size() == 1 && !task.is_program && reference == nullptr) {
    outcome.learning = learning_run(plans.front(), run.document(), *dialect);
  }
  if (!plans.empty())
    observe_own_options(shared, task.root, programs_of(task.path, run), plans.front().observations);
  const bool is_whole = !task.is_program || states_a_whole_run(plans);
  lint_plans(outcome, shared, task, run, std::move(plans), settings, reference);
  if (!is_whole) outcome.programs = {task.path};
  lint_other_options(outcome, shared, task, document, run);
}

FileOutcome lint_any_file(const LintShared& shared, const FileTask& task,
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
  if (is_project_file(file_name(task.path))) {
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
  const bool is_wanted = is_insisted_on(task, request) || task.is_program;
  if (may_be_script(task.path) || (task.path.ends_with(".py") && is_wanted)) {
    if (lint_script(outcome, shared, task, *text, reference)) {
      const bool is_shown = !outcome.findings.empty() || !outcome.suppressions.empty();
      if (is_shown || request.options.keep_plans) outcome.text = std::move(*text);
      return outcome;
    }
    if (may_be_script(task.path) || task.only_starts) {
      outcome.report.reason = "starts no training that gpulint knows";
      if (!task.named) return outcome;
    }
  }
  if (is_code(task.path) && !is_wanted && !is_python_config(task.path, *text)) {
    outcome.report.reason = "Python code, no config";
    return outcome;
  }
  const Result<Document> document =
      shared.session.parsed().read(task.path, *text, task.id, request.options.limits);
  if (!document && may_be_script(task.path)) return outcome;  // nor a list of variables
  if (!document) {
    report_unparsed(outcome, shared, task, document.error(), *text);
  } else if (task.is_program || is_started(*document)) {
    lint_document(outcome, shared, task, without_names(*document), reference);
    if (task.is_program) {
      temper_defaults(*text, shared.code->consumers().scripts(),
                      shared.session.catalog().rules(), outcome.findings);
      std::vector<std::string>& reads = outcome.report.reads;
      reads.insert(reads.end(), outcome.programs.begin(), outcome.programs.end());
      std::erase(reads, task.path);
      std::sort(reads.begin(), reads.end());
      reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    }
  } else if (document->format() != Format::yaml ||
             !lint_carrier(outcome, shared, task, *document, reference)) {
    lint_document(outcome, shared, task, *document, reference);
  }
  if (!outcome.findings.empty() || !outcome.suppressions.empty() || request.options.keep_plans) {
    outcome.text = std::move(*text);
  }
  return outcome;
}

}  // namespace

FileOutcome lint_file(const LintShared& shared, const FileTask& task,
                      const LearningRateReference* reference) {
  FileOutcome outcome = lint_any_file(shared, task, reference);
  if (outcome.findings.empty() || is_insisted_on(task, shared.request)) return outcome;
  switch (copied_from_others(shared, task)) {
    case Copied::no:
      break;
    case Copied::part:
      temper_copied(outcome.findings);
      break;
    case Copied::package:
      outcome.findings.clear();
      break;
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
  const std::vector<Plan> plans = plans_of(shared, task, run, settings_of(shared, task));
  if (plans.size() != 1) return std::nullopt;
  return learning_run(plans.front(), run.document(), *run.recognition().dialect);
}

}  // namespace gpulint
