#include "lint/broken_commands.h"

#include "catalog/catalog.h"
#include "lint/absent_program.h"
#include "lint/plan_linter.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

/// By its name, or as a script of the project that trains.
bool starts_a_training(const LintShared& shared, const FileTask& task, const StartedRun& started) {
  if (started.launch->role == LauncherStarts::training) return true;
  if (started.launch->role == LauncherStarts::other || shared.code == nullptr) return false;
  const std::vector<Script>& scripts = shared.code->scripts(task.root);
  return std::any_of(scripts.begin(), scripts.end(), [&](const Script& each) {
    return each.path == started.program && each.trains;
  });
}

}  // namespace

void point_at_choices(const Launch& launch, std::vector<Observation>& observations) {
  for (Observation& item : observations) {
    const std::pair choice(item.name, item.value);
    if (item.list != "absent_options" || launch.all == nullptr ||
        std::find(launch.chosen.begin(), launch.chosen.end(), choice) == launch.chosen.end())
      continue;
    const NodeId chosen = launch.all->find(launch.all->root(), item.name);
    if (chosen == kNoNode) continue;
    item.span = launch.all->span(chosen);
    item.pointer = launch.all->pointer(chosen);
  }
}

bool lint_broken_command(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                         std::string_view text, const StartedRun& started) {
  if (started.path != task.path || !starts_a_training(shared, task, started)) return false;
  std::vector<Observation> found;
  observe_absent_program(shared, task, text, started, found);
  if (found.empty()) return false;
  const std::span<const Dialect> dialects = shared.session.catalog().dialects();
  if (dialects.empty()) return false;
  RunRequest request{.document = started.launch->all.get(),
                     .dialects = dialects,
                     .files = &shared.files,
                     .base_keys = &shared.session.base_keys(),
                     .root = task.root};
  // Its flags are judged as bare keys, and none of them says anything.
  request.recognition = Recognition{.dialect = &dialects.back(), .dialects = dialects};
  const Run run = assemble_run(request);
  const FileSettings settings = settings_of(shared, task);
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  if (plans.empty()) return false;
  plans.resize(1);
  plans.front().facts = {};
  plans.front().observations = std::move(found);
  outcome.report.state = FileState::linted;
  if (outcome.report.dialect.empty()) outcome.report.dialect = dialects.back().id;
  outcome.suppressions = read_suppressions(*started.launch->all);
  lint_plans(outcome, shared, task, run, std::move(plans), settings, nullptr);
  return true;
}

}  // namespace gpulint
