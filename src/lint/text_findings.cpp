#include "lint/text_findings.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// Adds a finding of a rule that is not a file of rules/, unless the project switched it off.
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

/// Helm, Jinja, Go and cookiecutter write what becomes YAML once it is rendered.
bool is_template(std::string_view text) {
  if (text.find("{%") != std::string_view::npos) return true;
  const std::size_t opened = text.find("{{");
  return opened != std::string_view::npos && text.find("}}", opened) != std::string_view::npos;
}

/// JSON Lines: what a run wrote down, whatever the file is called.
bool holds_a_value_a_line(std::string_view text) {
  int objects = 0;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.empty()) continue;
    if (line.front() != '{' || line.back() != '}') return false;
    ++objects;
  }
  return objects > 1;
}

}  // namespace

bool is_insisted_on(const FileTask& task, const LintRequest& request) {
  return task.named && !request.options.force_exclude;
}

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
  if (!is_insisted_on(task, shared.request) && holds_a_value_a_line(text)) {
    outcome.report.state = FileState::skipped;
    outcome.report.reason = "a log: one JSON object a line";
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
                            "`<<` merges something that is not a mapping; YAML loaders refuse it"));
        break;
      case ProblemKind::duplicate_key:    // judged by rules, through the plan's observations
      case ProblemKind::not_strict_json:  // likewise
        break;
    }
  }
}

void report_script_limits(FileOutcome& outcome, const FileTask& task,
                          std::vector<std::string> limits) {
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  for (std::string& limit : limits) {
    add_builtin(outcome, task,
                builtin(kLimitExceeded, Severity::note, {task.id, 0, 0}, std::move(limit)));
  }
}

void report_recording(FileOutcome& outcome, const FileTask& task, SourceSpan span,
                      std::string message) {
  if (!span.known()) span = {task.id, 0, 0};
  add_builtin(outcome, task, builtin(kStaleRecording, Severity::note, span, std::move(message)));
}

}  // namespace gpulint
