// A primary config of Hydra chooses one file of each group; the others are started by
// `group=option`. Nobody runs them all after a change of the code, so stale ones stay until
// somebody waits for a job that ends at its first key. Only what the code refuses or never reads is
// said of them: values of an option that is not chosen are judged in the run that chooses it.

#include "lint/other_options.h"

#include "base/text.h"
#include "lint/group_choices.h"
#include "lint/plan_linter.h"
#include "plan/dead_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kMostOptions = 32;  // of one config; each is followed through the code
constexpr std::size_t kMostTrials = 24;   // runs that confirm what one of them never reads
constexpr std::size_t kMostConfigs = 256;
constexpr std::uint64_t kMostSteps = 1'500'000;  // of the interpreter, for all of these runs

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

/// A config whose groups have options that no config chooses.
class OptionLinter {
 public:
  OptionLinter(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
               const Document& document, const Run& run)
      : outcome_(outcome),
        shared_(shared),
        task_(task),
        document_(document),
        run_(run),
        folder_(parent_path(task.path)) {}

  void lint(const std::vector<GroupChoice>& choices) {
    const auto taken = choices_below(shared_, folder_);
    for (const GroupChoice& choice : choices) add_options(choice, taken);
    const std::size_t runs = kMostSteps / std::max<std::uint64_t>(1, run_.code().steps);
    const std::size_t most = std::min(kMostOptions, runs);
    if (options_.size() > most)
      options_.erase(options_.begin() + static_cast<std::ptrdiff_t>(most), options_.end());
    most_trials_ = std::min(kMostTrials, runs - options_.size());
    for (Option& option : options_) lint_option(option);
    for (const Option& option : options_) lint_unreached(option);
  }

 private:
  /// Why nobody starts a run.
  struct Obstacle {
    bool is_certain = false;      // it chooses an option that is not there, or the code refuses it
    std::set<std::string> lacks;  // keys that the code reads, which an option may add
    bool stands(const std::set<std::string>& added) const {
      return is_certain || std::any_of(lacks.begin(), lacks.end(), [&](const std::string& each) {
               return added.count(each) == 0;
             });
    }
  };

  struct Option {
    std::string group;
    std::string name;
    const RunFile* file = nullptr;
    bool is_followed = false;
    Obstacle obstacle = {};
    std::vector<Observation> unreached = {};
  };

  void add_options(const GroupChoice& choice,
                   const std::set<std::pair<std::string, std::string>>& taken) {
    if (choice.group.empty()) return;  // a part beside it, which stands for itself
    const std::string place = normalize_path(join_path(folder_, choice.group));
    const auto entries = shared_.files.reader().list(place);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      std::string name = without_yaml_ending(entry.name);
      if (taken.count({choice.group, name}) != 0) continue;
      const RunFile* file = shared_.files.open(normalize_path(join_path(place, entry.name)));
      if (!file->document || file->document->root() == kNoNode) continue;
      options_.push_back({choice.group, std::move(name), file});
    }
  }

  Run run_with(const Document& config, std::initializer_list<const Option*> options) const {
    std::vector<std::pair<std::string, std::string>> chosen;
    for (const Option* each : options) chosen.emplace_back(each->group, each->name);
    RunCommand command;
    command.chosen = chosen;
    return run_of(shared_, task_, config, &command);
  }

  /// It adds a section that no code of the run as it is asks for by name.
  bool may_be_unreached(const Option& option) const {
    const Document& own = *option.file->document;
    const Document& config = run_.document();
    const KeyReads& reads = run_.code().reads;
    if (own.kind(own.root()) != NodeKind::mapping) return false;
    const std::vector<Member> members = own.members(own.root());
    return std::any_of(members.begin(), members.end(), [&](const Member& member) {
      const std::string_view name = own.scalar(own.resolve(member.key));
      return own.kind(own.resolve(member.value)) == NodeKind::mapping &&
             !reads.words.may_read(name) && config.find(config.root(), name) == kNoNode;
    });
  }

  void lint_option(Option& option) {
    // What lies over the whole run is judged by itself.
    const bool lies_over = lies_over_all(option.file->document->text());
    if (lies_over && !may_be_unreached(option)) return;
    const Run run = run_with(document_, {&option});
    option.is_followed = !run.code().scripts.empty();
    option.obstacle = obstacle_of(run);
    if (run.recognition().dialect == nullptr) return;
    if (!option.obstacle.stands({})) option.unreached = unreached_in(option, run);
    if (run.code().refusals.empty() || lies_over || is_for_another(option)) return;
    const FileSettings settings = settings_of(shared_, task_);
    std::vector<Plan> plans = plans_of(shared_, task_, run, settings);
    bool any = false;
    for (Plan& plan : plans) {
      std::erase_if(plan.observations,
                    [](const Observation& item) { return item.list != "code_refusals"; });
      for (Observation& item : plan.observations) tie_refusal(option, item);
      any = any || !plan.observations.empty();
    }
    if (any) report(run, std::move(plans), settings);
  }

  /// With another config of the folder it runs.
  bool is_for_another(const Option& option) {
    for (const Document* config : others_with(option.group)) {
      if (trials_ == most_trials_) return true;  // silent from here on
      ++trials_;
      const Run other = run_with(*config, {&option});
      if (!other.code().scripts.empty() && !obstacle_of(other).stands({})) return true;
    }
    return false;
  }

  void lint_unreached(const Option& option) {
    std::vector<Observation> unreached = confirmed(option);
    if (unreached.empty()) return;
    const Run run = run_with(document_, {&option});
    const FileSettings settings = settings_of(shared_, task_);
    std::vector<Plan> plans = plans_of(shared_, task_, run, settings);
    for (Plan& plan : plans) plan.observations = unreached;
    report(run, std::move(plans), settings);
  }

  static std::string asked_by(const Option& option) {
    return fmt::format("{}={}", option.group, option.name);
  }

  static void tie_refusal(const Option& option, Observation& item) {
    item.fact = asked_by(option);
    item.value = fmt::format("with {}, {}", item.fact, item.value);
    if (item.span.file == option.file->id) return;
    // Values of other files lead there, but with the option alone.
    item.span = option.file->document->span(option.file->document->root());
    item.pointer.clear();
    item.name.clear();
  }

  void report(const Run& run, std::vector<Plan> plans, const FileSettings& settings) {
    FileOutcome found;
    lint_plans(found, shared_, task_, run, std::move(plans), settings, nullptr);
    for (Finding& finding : found.findings) {
      const auto& rules = shared_.session.catalog().rules();
      const bool is_of_code = std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
        return rule.id == finding.rule &&
               (rule.for_each == "code_refusals" || rule.for_each == "unreached_keys");
      });
      if (is_of_code) outcome_.findings.push_back(std::move(finding));
    }
  }

  std::vector<Observation> unreached_in(const Option& option, const Run& run) const {
    return unreached_keys_of_option(run, shared_.session.catalog(), option.file->id,
                                    run_.document());
  }

  /// Keys of an option that the code comes to neither in another config nor with an option of any
  /// other group.
  std::vector<Observation> confirmed(const Option& option) {
    std::vector<Observation> unreached = option.unreached;
    std::set<std::string> open;
    for (const Observation& item : unreached) {
      if (settled_.find({option.group, item.pointer}) == settled_.end()) open.insert(item.pointer);
    }
    const std::set<std::string> asked = open;
    if (!open.empty()) confirm(option, open);
    for (const std::string& pointer : asked)
      settled_[{option.group, pointer}] = open.count(pointer) != 0;
    std::erase_if(unreached, [&](const Observation& item) {
      return !settled_[{option.group, item.pointer}];
    });
    for (Observation& item : unreached) item.fact = asked_by(option);
    return unreached;
  }

  static Obstacle obstacle_of(const Run& run) {
    Obstacle obstacle;
    const auto& seen = run.observations();
    obstacle.is_certain = std::any_of(seen.begin(), seen.end(), [](const Observation& item) {
      return item.list == "absent_options";
    });
    for (const CodeRefusal& each : run.code().refusals) {
      if (each.how == python::Refusal::How::lacks) {
        obstacle.lacks.insert(each.name);
      } else {
        obstacle.is_certain = true;
      }
    }
    return obstacle;
  }

  /// Leaves of the `pointers` those that no other run with the option comes to.
  void confirm(const Option& option, std::set<std::string>& pointers) {
    std::set<std::string> added;
    for (const std::string& each : pointers) added.insert(each.substr(each.rfind('/') + 1));
    const auto confirm_by = [&](const Document& config,
                                std::initializer_list<const Option*> options) {
      if (pointers.empty()) return;
      if (trials_ == most_trials_) return pointers.clear();  // silent from here on
      ++trials_;
      const Run other = run_with(config, options);
      if (obstacle_of(other).stands({})) return;
      std::set<std::string> same;
      for (const Observation& item : unreached_in(option, other)) same.insert(item.pointer);
      std::erase_if(pointers, [&](const std::string& each) { return same.count(each) == 0; });
    };
    for (const Document* config : others_with(option.group)) {
      if (!obstacle_to(*config).stands(added)) confirm_by(*config, {&option});
    }
    for (const Option& other : options_) {
      if (other.group != option.group && other.is_followed && !other.obstacle.stands(added))
        confirm_by(document_, {&option, &other});
    }
  }

  const Obstacle& obstacle_to(const Document& config) {
    const auto [at, is_new] = obstacles_.try_emplace(&config);
    if (is_new) at->second = obstacle_of(run_with(config, {}));
    return at->second;
  }

  /// Other configs of the folder that have the group.
  std::vector<const Document*> others_with(const std::string& group) const {
    std::vector<const Document*> others;
    const auto entries = shared_.files.reader().list(folder_.empty() ? "." : folder_);
    if (!entries) return others;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = normalize_path(join_path(folder_, entry.name));
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      const RunFile* file = path == task_.path ? nullptr : shared_.files.open(path);
      if (file == nullptr || !file->document) continue;
      const std::vector<GroupChoice> choices = group_choices(*file->document, folder_);
      const bool has_it = std::any_of(choices.begin(), choices.end(),
                                      [&](const GroupChoice& each) { return each.group == group; });
      if (has_it) others.push_back(&*file->document);
    }
    return others;
  }

  FileOutcome& outcome_;
  const LintShared& shared_;
  const FileTask& task_;
  const Document& document_;
  const Run& run_;
  std::string folder_;
  std::vector<Option> options_;
  std::map<const Document*, Obstacle> obstacles_;  // to configs without an option
  std::size_t trials_ = 0;
  std::size_t most_trials_ = 0;
  std::map<std::pair<std::string, std::string>, bool> settled_;  // (group, pointer): never read
};

}  // namespace

void lint_other_options(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                        const Document& document, const Run& run) {
  if (shared.code == nullptr || run.code().scripts.empty() || !run.code().refusals.empty()) return;
  if (run.code().truncated) return;  // what an option changes may lie behind the limit
  const std::vector<GroupChoice> choices =
      group_choices(document, std::string(parent_path(task.path)));
  if (!choices.empty()) OptionLinter(outcome, shared, task, document, run).lint(choices);
}

}  // namespace gpulint
