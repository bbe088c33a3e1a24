#include "lint/suppress.h"

#include "base/text.h"
#include "finding/own_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace gpulint {
namespace {

std::string quoted_list(const std::vector<std::string>& rules) {
  std::string text;
  for (const std::string& rule : rules) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", rule);
  }
  return text;
}

/// One file's suppressions while the findings of a run pass by.
class FileJudge {
 public:
  FileJudge(const FileSuppressions& file, const Catalog& catalog, std::optional<Date> today)
      : file_(file), catalog_(catalog), today_(today), used_(file.list.size()) {}

  /// The suppression that hides a finding, or nullptr. All that would are in use.
  const Suppression* hiding(const Finding& finding) {
    if (judges_suppressions(finding.rule) || is_unignorable(file_.project, finding.rule)) {
      return nullptr;
    }
    const Suppression* found = nullptr;
    for (std::size_t i = 0; i < file_.list.size(); ++i) {
      const Suppression& each = file_.list[i];
      if (each.expired(today_) || !each.names(finding.rule) || !each.reaches(finding.span)) {
        continue;
      }
      used_[i].insert(finding.rule);
      if (found == nullptr) found = &each;
    }
    return found;
  }

  std::vector<Finding> verdicts(const FileReport& report) && {
    for (std::size_t i = 0; i < file_.list.size(); ++i) {
      const Suppression& each = file_.list[i];
      if (!each.mistake.empty()) {
        add(kMalformedSuppression, each, each.mistake, "write it as ignore[rule] -- reason", {});
        continue;
      }
      judge_names(each);
      if (each.expired(today_)) {
        add(kExpiredSuppression, each,
            fmt::format("the suppression of {} ended with {}", quoted_list(each.rules),
                        to_string(*each.until)),
            "remove it, or set a later date with a reason", removal_of(each));
      } else {
        judge_use(each, used_[i], report);
      }
    }
    return std::move(verdicts_);
  }

 private:
  bool exists(std::string_view rule) const {
    return own_rule(rule) != nullptr || catalog_.rule(rule) != nullptr;
  }

  std::string similar(std::string_view rule) const {
    std::vector<std::string_view> names;
    for (const OwnRule& own : own_rules()) names.push_back(own.id);
    for (const Rule& each : catalog_.rules()) names.push_back(each.id);
    return std::string(closest(rule, names));
  }

  void judge_names(const Suppression& each) {
    for (const std::string& rule : each.rules) {
      if (!exists(rule)) {
        const std::string meant = similar(rule);
        std::string message = fmt::format("\"{}\" is not a rule", rule);
        if (meant.empty()) {
          add(kUnknownSuppression, each, message, "remove it", without(each, {rule}));
        } else {
          add(kUnknownSuppression, each, fmt::format("{} (did you mean \"{}\"?)", message, meant),
              fmt::format("write {}", meant), renamed(each, rule, meant), FixKind::unsafe);
        }
      } else if (judges_suppressions(rule)) {
        add(kMalformedSuppression, each,
            fmt::format("{} judges suppressions and cannot be suppressed by one; `.gpulint.yaml` "
                        "may disable it",
                        rule),
            "remove it", without(each, {rule}));
      } else if (is_unignorable(file_.project, rule)) {
        add(kForbiddenSuppression, each,
            fmt::format("{} may not be ignored: {} lists it under unignorable", rule,
                        file_.project->config.path),
            "remove it and mend what it hides", without(each, {rule}));
      }
    }
  }

  /// What the suppression names and no finding answered to. A rule that is off, or could not
  /// decide, proves nothing.
  void judge_use(const Suppression& each, const std::set<std::string>& used,
                 const FileReport& report) {
    std::vector<std::string> unused;
    for (const std::string& rule : each.rules) {
      if (used.count(rule) != 0 || !exists(rule) || judges_suppressions(rule)) continue;
      if (is_unignorable(file_.project, rule) || contains(report.undecided, rule)) continue;
      if (!is_on(rule)) continue;
      unused.push_back(rule);
    }
    if (unused.empty()) return;
    const bool narrow = !each.whole_file && each.pointer.empty();
    add(kUnusedSuppression, each,
        fmt::format(
            "nothing here is reported as {}{}", quoted_list(unused),
            narrow ? "; a comment behind an entry covers its line, one above it all of it" : ""),
        "remove it", without(each, unused));
  }

  bool is_on(const std::string& rule) const {
    const Rule* known = catalog_.rule(rule);
    const bool preview = known != nullptr && known->preview;
    if (file_.project == nullptr) return !preview;
    const RuleSettings& rules = file_.project->rules;
    return !contains(rules.disabled, rule) && (!preview || contains(rules.enabled_previews, rule));
  }

  static std::vector<Edit> removal_of(const Suppression& each) {
    return {{.span = each.removed, .text = "", .pointer = each.pointer}};
  }

  /// The whole list is written anew, so that two such edits collide instead of emptying it.
  static std::vector<Edit> without(const Suppression& each, const std::vector<std::string>& rules) {
    std::vector<std::string> kept;
    for (const std::string& rule : each.rules) {
      if (!contains(rules, rule)) kept.push_back(rule);
    }
    if (kept.empty()) return removal_of(each);
    return {{.span = each.list, .text = join(kept, ", "), .pointer = each.pointer}};
  }

  static std::vector<Edit> renamed(const Suppression& each, const std::string& rule,
                                   const std::string& to) {
    std::vector<std::string> names;
    for (const std::string& name : each.rules) names.push_back(name == rule ? to : name);
    return {{.span = each.list, .text = join(names, ", "), .pointer = each.pointer}};
  }

  void add(std::string_view rule, const Suppression& each, std::string message, std::string advice,
           std::vector<Edit> edits, FixKind kind = FixKind::safe) {
    Finding finding;
    finding.rule = rule;
    finding.severity = own_rule(rule)->severity;
    finding.span = each.span;
    finding.pointer = each.pointer;
    finding.message = std::move(message);
    finding.fix = Fix{.kind = edits.empty() ? FixKind::display : kind,
                      .advice = std::move(advice),
                      .edits = std::move(edits)};
    if (file_.project != nullptr) {
      const RuleSettings& rules = file_.project->rules;
      if (contains(rules.disabled, rule)) return;
      const auto chosen = rules.severities.find(rule);
      if (chosen != rules.severities.end()) finding.severity = chosen->second;
    }
    verdicts_.push_back(std::move(finding));
  }

  const FileSuppressions& file_;
  const Catalog& catalog_;
  std::optional<Date> today_;
  std::vector<std::set<std::string>> used_;  // per suppression: rules it hid a finding of
  std::vector<Finding> verdicts_;
};

}  // namespace

bool is_unignorable(const ProjectFile* project, std::string_view rule) {
  return project != nullptr && contains(project->config.unignorable, rule);
}

void apply_suppressions(LintResult& result, std::span<const FileSuppressions> files,
                        const Catalog& catalog, std::optional<Date> today) {
  std::vector<FileJudge> judges;
  judges.reserve(files.size());
  for (const FileSuppressions& file : files) judges.emplace_back(file, catalog, today);
  std::vector<Finding> kept;
  kept.reserve(result.findings.size());
  for (Finding& finding : result.findings) {
    const FileId file = finding.span.file;
    const Suppression* by = file < judges.size() ? judges[file].hiding(finding) : nullptr;
    if (by == nullptr) {
      kept.push_back(std::move(finding));
    } else {
      result.suppressed.push_back(
          {std::move(finding), SuppressionKind::in_source, by->reason, by->span});
    }
  }
  for (std::size_t i = 0; i < std::min(judges.size(), result.files.size()); ++i) {
    for (Finding& verdict : std::move(judges[i]).verdicts(result.files[i])) {
      verdict.runs = {result.files[i].path};
      kept.push_back(std::move(verdict));
    }
  }
  result.findings = std::move(kept);
}

}  // namespace gpulint
