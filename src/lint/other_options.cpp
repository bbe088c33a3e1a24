// A primary config of Hydra chooses one file of each group; the others are started by
// `group=option`. Nobody runs them all after a change of the code, so stale ones stay until
// somebody waits for a job that ends at its first key. Only what the code refuses is said of them:
// values of an option that is not chosen are judged in the run that chooses it.

#include "lint/other_options.h"

#include "base/text.h"
#include "lint/group_choices.h"
#include "lint/plan_linter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kMostOptions = 32;  // of one config; each is followed through the code
constexpr std::size_t kMostConfigs = 256;

/// Choices of all configs in a folder and below it.
std::set<std::pair<std::string, std::string>> choices_below(const LintShared& shared,
                                                            const std::string& folder) {
  std::set<std::pair<std::string, std::string>> chosen;
  std::vector<std::string> folders = {folder};
  std::size_t asked = 0;
  for (std::size_t i = 0; i < folders.size() && i < kMostConfigs; ++i) {
    const auto entries = shared.files.reader().list(folders[i].empty() ? "." : folders[i]);
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = normalize_path(join_path(folders[i], entry.name));
      if (entry.kind == FileKind::directory) folders.push_back(path);
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      if (++asked > kMostConfigs) return chosen;
      const RunFile* file = shared.files.open(path);
      if (!file->document) continue;
      for (GroupChoice& each : group_choices(*file->document, folder))
        chosen.emplace(std::move(each.group), std::move(each.option));
    }
  }
  return chosen;
}

/// What the code refuses of a run with the option, said where the option says it.
void lint_option(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 const Document& document, const GroupChoice& choice, const RunFile& file) {
  const std::pair<std::string, std::string> chosen(choice.group, choice.option);
  RunCommand command;
  command.chosen = {&chosen, 1};
  const Run run = run_of(shared, task, document, &command);
  if (run.code().refusals.empty() || run.recognition().dialect == nullptr) return;
  const FileSettings settings = settings_of(shared, task);
  std::vector<Plan> plans = plans_of(shared, task, run, settings);
  bool any = false;
  for (Plan& plan : plans) {
    std::erase_if(plan.observations,
                  [&](const Observation& item) { return item.list != "code_refusals"; });
    for (Observation& item : plan.observations) {
      item.fact = fmt::format("{}={}", choice.group, choice.option);
      item.value = fmt::format("with {}, {}", item.fact, item.value);
      if (item.span.file == file.id) continue;
      // Values of other files lead there, but with the option alone.
      item.span = file.document->span(file.document->root());
      item.pointer.clear();
      item.name.clear();
    }
    any = any || !plan.observations.empty();
  }
  if (!any) return;
  FileOutcome found;
  lint_plans(found, shared, task, run, std::move(plans), settings, nullptr);
  for (Finding& finding : found.findings) {
    const auto& rules = shared.session.catalog().rules();
    const bool is_refusal = std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
      return rule.id == finding.rule && rule.for_each == "code_refusals";
    });
    if (is_refusal) outcome.findings.push_back(std::move(finding));
  }
}

}  // namespace

void lint_other_options(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                        const Document& document, const Run& run) {
  if (shared.code == nullptr || run.code().scripts.empty() || !run.code().refusals.empty()) return;
  const std::string folder(parent_path(task.path));
  const std::vector<GroupChoice> choices = group_choices(document, folder);
  if (choices.empty()) return;
  const auto taken = choices_below(shared, folder);
  std::size_t asked = 0;
  for (const GroupChoice& choice : choices) {
    if (choice.group.empty()) continue;  // a part beside it, which stands for itself
    const std::string place = normalize_path(join_path(folder, choice.group));
    const auto entries = shared.files.reader().list(place);
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      const GroupChoice other{choice.group, without_yaml_ending(entry.name)};
      if (taken.count({other.group, other.option}) != 0) continue;
      const RunFile* file = shared.files.open(normalize_path(join_path(place, entry.name)));
      if (!file->document || file->document->root() == kNoNode) continue;
      if (lies_over_all(file->document->text())) continue;  // it is judged by itself
      if (++asked > kMostOptions) return;
      lint_option(outcome, shared, task, document, other, *file);
    }
  }
}

}  // namespace gpulint
