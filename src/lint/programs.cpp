#include "lint/programs.h"

#include "base/text.h"
#include "finding/order.h"
#include "lint/parallel.h"
#include "lint/runs.h"

#include <algorithm>
#include <set>

namespace gpulint {
namespace {

/// Observations of what a program's own parser says.
bool is_of_parser(std::string_view list) {
  return list == "stuck_switches" || list == "mistyped_options" || list == "untyped_options" ||
         list == "unread_options";
}

constexpr std::string_view kIsStarted = "__main__";

/// Of one folder; a collection of examples holds more, and nobody runs them all.
constexpr std::size_t kMostPrograms = 64;

}  // namespace

std::size_t add_programs(const FileReader& files, const LintRequest& request, CodeBase& code,
                         std::vector<FileTask>& tasks) {
  if (!request.options.read_code || !request.runs.empty()) return 0;
  const bool is_wanted =
      !request.only || std::any_of(request.only->begin(), request.only->end(),
                                   [](const std::string& path) { return path.ends_with(".py"); });
  if (!is_wanted) return 0;
  std::set<std::string> known;
  for (const FileTask& task : tasks) known.insert(task.path);
  std::size_t left_out = 0;
  for (const std::string& given : request.paths) {
    const std::string folder = normalize_path(given);
    if (files.kind(folder) != FileKind::directory) continue;
    std::size_t found = 0;
    const auto add = [&](FileTask task) {
      task.is_program = true;
      if (!known.insert(task.path).second) return;
      if (++found > kMostPrograms) {
        ++left_out;
      } else {
        tasks.push_back(std::move(task));
      }
    };
    const ScriptMarks& marks = code.consumers().scripts();
    for (const Script& script : code.scripts(folder)) {
      const bool is_started = script.text.find(kIsStarted) != std::string::npos;
      add({.path = script.path,
           .parses_options = is_started && has_any(script.text, marks.takes_options)});
    }
    for (const std::string& path : code.starting_scripts(folder))
      add({.path = path, .only_starts = true});
  }
  return left_out;
}

bool states_a_run(std::span<const Plan> plans) {
  if (plans.size() != 1) return false;
  const TrainingPlan& facts = plans.front().facts;
  const bool has_batch = facts.per_device_batch_size || facts.global_batch_size;
  const bool has_length = facts.epochs || facts.max_steps;
  // Of two optimizers, or a batch that the GPUs decide, the one is unknown and the rest stands.
  return int{has_batch} + int{has_length} + int{facts.optimizer.has_value()} >= 2;
}

bool states_a_whole_run(std::span<const Plan> plans) {
  if (plans.size() != 1) return false;
  const TrainingPlan& facts = plans.front().facts;
  return facts.optimizer && (facts.per_device_batch_size || facts.global_batch_size);
}

void temper_defaults(std::string_view text, const ScriptMarks& marks,
                     std::span<const Rule> rules, std::vector<Finding>& findings) {
  if (!has_any(text, marks.takes_options)) return;
  // What the program's own parser says holds whatever it is started with.
  const auto stays = [&](const Finding& each) {
    return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
      return rule.id == each.rule && is_of_parser(rule.for_each);
    });
  };
  std::erase_if(findings, [&](const Finding& each) {
    return each.severity == Severity::note && !stays(each);
  });
  for (Finding& each : findings) {
    if (each.severity == Severity::error) each.severity = Severity::warning;
  }
}

void note_programs(const CodeReading& code, FileOutcome& outcome) {
  for (const std::vector<std::string>* paths : {&code.scripts, &code.modules})
    outcome.programs.insert(outcome.programs.end(), paths->begin(), paths->end());
}

void judge_programs(const LintShared& shared, const std::vector<FileTask>& tasks,
                    std::vector<FileOutcome>& outcomes, LintProgress& progress) {
  std::set<std::string_view> programs;
  for (const FileTask& task : tasks)
    if (task.is_program) programs.insert(task.path);
  // What another training script takes functions from may be started by itself.
  const auto belongs_to_a_run = [&](const FileTask& task) {
    return std::any_of(outcomes.begin(), outcomes.end(), [&](const FileOutcome& outcome) {
      const bool only_imports = task.parses_options && programs.count(outcome.report.path) != 0;
      return outcome.report.path != task.path && !only_imports &&
             contains(outcome.programs, task.path);
    });
  };
  std::vector<FileId> own;
  for (const FileTask& task : tasks) {
    if (!task.is_program) continue;
    outcomes[task.id].report.path = task.path;
    if (!belongs_to_a_run(task)) own.push_back(task.id);
    ++progress.done;
  }
  for_each_index(own.size(), shared.request.options.jobs, [&](std::size_t i) {
    outcomes[own[i]] = lint_file(shared, tasks[own[i]], nullptr);
  });
  const auto& only = shared.request.only;
  const auto is_asked_about = [&](FileId id) {
    const std::vector<std::string>& code = outcomes[id].programs;
    return !only || only->count(tasks[id].path) != 0 ||
           std::any_of(code.begin(), code.end(),
                       [&](const std::string& path) { return only->count(path) != 0; });
  };
  for (auto id = own.rbegin(); id != own.rend(); ++id) {  // of a circle the first one stays
    if (is_asked_about(*id) && !belongs_to_a_run(tasks[*id])) continue;
    outcomes[*id] = {};
    outcomes[*id].report.path = tasks[*id].path;
  }
}

void leave_out_programs(const std::vector<FileTask>& tasks, LintResult& result) {
  std::set<std::string_view> programs;
  for (const FileTask& task : tasks) {
    if (task.is_program) programs.insert(task.path);
  }
  const auto is_left_out = [&](const FileReport& file) {
    return file.state == FileState::skipped && programs.count(file.path) != 0;
  };
  // Ids of files are places in both lists. The texts stay: facts of other runs point into them.
  std::vector<std::size_t> order;
  std::vector<std::size_t> last;
  for (std::size_t i = 0; i < result.sources.size(); ++i)
    (i < result.files.size() && is_left_out(result.files[i]) ? last : order).push_back(i);
  if (last.empty()) return;
  order.insert(order.end(), last.begin(), last.end());
  std::vector<FileId> ids(order.size());
  std::vector<SourceText> sources;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ids[order[i]] = static_cast<FileId>(i);
    sources.push_back(std::move(result.sources[order[i]]));
  }
  result.sources = std::move(sources);
  std::erase_if(result.files, is_left_out);
  renumber(result, ids);
  sort_and_join(result.findings);
  sort_suppressed(result.suppressed);
}

}  // namespace gpulint
