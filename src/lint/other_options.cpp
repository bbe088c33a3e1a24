// A primary config of Hydra chooses one file of each group; the others are started by
// `group=option`. Nobody runs them all after a change of the code, so stale ones stay until
// somebody waits for a job that ends at its first key. Only what the code refuses is said of them:
// values of an option that is not chosen are judged in the run that chooses it.

#include "lint/other_options.h"

#include "base/text.h"
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
constexpr std::string_view kDefaults = "defaults";

struct Choice {
  std::string group;
  std::string option;
};

std::string without_ending(std::string_view name) {
  const std::string ending = extension(name);
  const bool is_yaml = ending == "yaml" || ending == "yml";
  return std::string(is_yaml ? name.substr(0, name.rfind('.')) : name);
}

/// A file that another of its folder is made of: `- base`.
Choice part_of(const Document& document, std::string_view name, const std::string& top) {
  const std::string path = normalize_path(join_path(parent_path(document.path()), name));
  const std::string_view below =
      top.empty() ? std::string_view(path)
                  : std::string_view(path).substr(std::min(path.size(), top.size() + 1));
  return {std::string(parent_path(below)), without_ending(file_name(below))};
}

/// `- data: imagenet`, also behind `override` and a leading slash; what has a package of its own,
/// or chooses nothing or several, is left out. `groups`: the folder they lie in.
std::vector<Choice> choices_of(const Document& document, const std::string& groups) {
  std::vector<Choice> choices;
  const NodeId top = document.root();
  const NodeId list = top == kNoNode ? kNoNode : document.find(top, kDefaults);
  if (list == kNoNode || document.kind(document.resolve(list)) != NodeKind::sequence)
    return choices;
  for (const NodeId item : document.items(document.resolve(list))) {
    if (document.kind(item) == NodeKind::scalar)
      choices.push_back(part_of(document, trim(document.scalar(item)), groups));
    if (document.kind(item) != NodeKind::mapping) continue;
    const std::vector<Member> members = document.members(item);
    if (members.size() != 1 || members.front().value == kNoNode) continue;
    const NodeId value = document.resolve(members.front().value);
    std::string_view group = trim(document.scalar(members.front().key));
    for (const std::string_view word : {"override ", "optional "}) {
      if (group.starts_with(word)) group = trim(group.substr(word.size()));
    }
    if (group.starts_with('/')) group.remove_prefix(1);
    const bool is_plain = group.find_first_of(" @$") == std::string_view::npos &&
                          !group.starts_with("hydra/") && group != "hydra";
    if (!is_plain || document.kind(value) != NodeKind::scalar) continue;
    const std::string_view option = trim(document.scalar(value));
    if (option.empty() || option == "null" || option == "~") continue;
    choices.push_back({std::string(group), without_ending(option)});
  }
  return choices;
}

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
      for (Choice& each : choices_of(*file->document, folder))
        chosen.emplace(std::move(each.group), std::move(each.option));
    }
  }
  return chosen;
}

/// What the code refuses of a run with the option, said where the option says it.
void lint_option(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 const Document& document, const Choice& choice, const RunFile& file) {
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
  const std::vector<Choice> choices = choices_of(document, folder);
  if (choices.empty()) return;
  const auto taken = choices_below(shared, folder);
  std::size_t asked = 0;
  for (const Choice& choice : choices) {
    if (choice.group.empty()) continue;  // a part beside it, which stands for itself
    const std::string place = normalize_path(join_path(folder, choice.group));
    const auto entries = shared.files.reader().list(place);
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      const Choice other{choice.group, without_ending(entry.name)};
      if (taken.count({other.group, other.option}) != 0) continue;
      const RunFile* file = shared.files.open(normalize_path(join_path(place, entry.name)));
      if (!file->document || file->document->root() == kNoNode) continue;
      if (++asked > kMostOptions) return;
      lint_option(outcome, shared, task, document, other, *file);
    }
  }
}

}  // namespace gpulint
