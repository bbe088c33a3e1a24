#include "review/diff.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "finding/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace gpulint {
namespace {

/// One state of the repository, linted for one target.
struct Side {
  const FileReader& files;
  LintResult result;
  std::map<std::string, const FileReport*> by_canonical;

  void index() {
    for (const FileReport& file : result.files) {
      by_canonical.emplace(files.canonical(file.path), &file);
    }
  }
  const FileReport* find(const std::string& canonical) const {
    const auto found = by_canonical.find(canonical);
    return found == by_canonical.end() ? nullptr : found->second;
  }
};

bool is_config(const FileReport* file) {
  return file != nullptr && file->state == FileState::linted && !file->plans.empty() &&
         file->part_of.empty();
}

DiffSide side_of(const PlanReport& report) {
  const Estimate& estimate = report.estimate;
  DiffSide side;
  if (estimate.vram) {
    side.vram = estimate.vram->needed;
    side.vram_is_lower_bound = estimate.vram->lower_bound_only;
  }
  side.usable_vram = estimate.usable_vram;
  if (estimate.ram) side.ram = estimate.ram->needed;
  side.vram_verdict = estimate.vram_verdict;
  if (report.devices) {
    side.least_devices = report.devices->least;
    side.enough_devices = report.devices->enough;
  }
  side.available_ram = estimate.available_ram;
  side.ram_verdict = estimate.ram_verdict;
  if (estimate.step_time) side.step_time = estimate.step_time->total;
  side.run_time = estimate.run_time;
  side.cost = estimate.cost;
  side.unknown = estimate.unknown;
  if (!report.plan) return side;
  const TrainingPlan& facts = report.plan->facts;
  if (facts.global_batch_size) side.global_batch_size = facts.global_batch_size->value;
  if (facts.learning_rate) side.learning_rate = facts.learning_rate->value;
  if (facts.optimizer) side.optimizer = facts.optimizer->value;
  return side;
}

/// nullopt where no rule applies: another optimizer, or code that scales the rate itself.
std::optional<LearningRateDiff> compare_rates(const PlanReport& report, const Dialect* dialect,
                                              const DiffSide& before, const DiffSide& after) {
  const bool known = before.learning_rate && after.learning_rate && before.global_batch_size &&
                     after.global_batch_size && *before.learning_rate > 0 &&
                     *before.global_batch_size > 0 && *after.global_batch_size > 0;
  if (!known || before.optimizer != after.optimizer || !report.plan) return std::nullopt;
  const LearningRateJudgement judged = judge_learning_rate(report.plan->facts, dialect, {});
  if (!judged.rule || judged.scaled_in_code.value_or(false)) return std::nullopt;
  const double growth = static_cast<double>(*after.global_batch_size) /
                        static_cast<double>(*before.global_batch_size);
  LearningRateDiff rates;
  rates.rule = *judged.rule;
  rates.expected =
      *before.learning_rate * (rates.rule == LearningRateRule::linear ? growth : std::sqrt(growth));
  rates.effective = *after.learning_rate / rates.expected;
  return rates;
}

DiffFinding diff_finding(const LintResult& result, const Finding& finding, bool is_new) {
  DiffFinding found{.rule = finding.rule,
                    .severity = finding.severity,
                    .path = {},
                    .at = {},
                    .pointer = finding.pointer,
                    .message = finding.message,
                    .is_new = is_new};
  if (finding.span.file < result.sources.size()) {
    const SourceText& source = result.sources[finding.span.file];
    found.path = source.path;
    found.at = source.lines.at(source.text, finding.span.begin);
  }
  return found;
}

class DocumentComparison {
 public:
  DocumentComparison(const DiffRequest& request, DiffResult& out) : request_(request), out_(out) {
    for (const auto& [now, old] : request.renames) new_names_.emplace(old, now);
  }

  void compare(Side& before, Side& after) {
    before.index();
    after.index();
    touched_before_.clear();
    touched_after_.clear();
    for (const auto& [canonical, file] : after.by_canonical) {
      const FileReport* old = before.find(old_name(canonical));
      compare_files(before, after, canonical, old, file);
    }
    for (const auto& [canonical, file] : before.by_canonical) {
      if (after.find(new_name(canonical)) == nullptr) {
        compare_files(before, after, canonical, file, nullptr);
      }
    }
    compare_findings(before, after);
    for (Side* side : {&before, &after}) {
      std::move(side->result.errors.begin(), side->result.errors.end(),
                std::back_inserter(out_.errors));
    }
  }

  std::string old_name(const std::string& canonical) const {
    const auto renamed = request_.renames.find(canonical);
    return renamed == request_.renames.end() ? canonical : renamed->second;
  }
  std::string new_name(const std::string& canonical) const {
    const auto renamed = new_names_.find(canonical);
    return renamed == new_names_.end() ? canonical : renamed->second;
  }

 private:
  bool touched(const Side& side, const FileReport* file) const {
    return file != nullptr && is_touched(*file, side.files, request_.changes);
  }

  void compare_files(const Side& before, const Side& after, const std::string& canonical,
                     const FileReport* old, const FileReport* now) {
    if (!touched(before, old) && !touched(after, now)) return;
    for (const FileReport* file : {old, now}) {
      if (file != nullptr && file->state == FileState::unreadable) {
        out_.left_out.push_back(fmt::format("{}: {}", file->path, file->reason));
      }
    }
    if (old != nullptr) touched_before_.insert(old->path);
    if (now != nullptr) touched_after_.insert(now->path);
    if (!is_config(old)) old = nullptr;
    if (!is_config(now)) now = nullptr;
    if (old == nullptr && now == nullptr) return;
    ConfigDiff config;
    config.path = now != nullptr ? now->path : old->path;
    if (now != nullptr && old != nullptr && old->path != now->path) config.old_path = old->path;
    config.kind = kind_of(canonical, old, now);
    compare_plans(config, old, now);
  }

  DiffKind kind_of(const std::string& canonical, const FileReport* old,
                   const FileReport* now) const {
    if (old == nullptr) return DiffKind::added;
    if (now == nullptr) return DiffKind::removed;
    if (old->path != now->path) return DiffKind::renamed;
    return request_.changes.paths().count(canonical) != 0 ? DiffKind::modified : DiffKind::included;
  }

  /// Phases are compared by name; the single unnamed one with the single unnamed one.
  void compare_plans(const ConfigDiff& config, const FileReport* old, const FileReport* now) {
    const auto with_phase = [](const FileReport* file, const std::optional<std::string>& phase) {
      const PlanReport* found = nullptr;
      if (file == nullptr) return found;
      for (const PlanReport& plan : file->plans) {
        if (plan.phase == phase && found == nullptr) found = &plan;
      }
      return found;
    };
    std::set<std::optional<std::string>> phases;
    for (const FileReport* file : {old, now}) {
      if (file == nullptr) continue;
      for (const PlanReport& plan : file->plans) phases.insert(plan.phase);
    }
    for (const auto& phase : phases) {
      add_config(config, phase, with_phase(old, phase), with_phase(now, phase),
                 now != nullptr ? now->dialect : old->dialect);
    }
  }

  void add_config(ConfigDiff config, const std::optional<std::string>& phase, const PlanReport* old,
                  const PlanReport* now, const std::string& dialect) {
    const PlanReport& target = now != nullptr ? *now : *old;
    config.phase = phase;
    if (target.gpu != nullptr) config.gpu = target.gpu->id;
    if (target.host != nullptr) config.host = target.host->id;
    if (old != nullptr) config.before = side_of(*old);
    if (now != nullptr) config.after = side_of(*now);
    if (config.before && config.after) {
      const auto& dialects = request_.after.session.catalog().dialects();
      const auto known = std::find_if(dialects.begin(), dialects.end(),
                                      [&](const Dialect& each) { return each.id == dialect; });
      config.learning_rate = compare_rates(*now, known == dialects.end() ? nullptr : &*known,
                                           *config.before, *config.after);
    }
    out_.configs.push_back(std::move(config));
  }

  static bool concerns(const Finding& finding, const std::set<std::string>& touched) {
    return std::any_of(finding.runs.begin(), finding.runs.end(),
                       [&](const std::string& run) { return touched.count(run) != 0; });
  }

  /// The same rule at the same pointer is the same finding, whatever its value is now.
  BaselineEntry entry_of(const Side& side, const Finding& finding, bool old) const {
    BaselineEntry entry{.path = {}, .pointer = finding.pointer, .rule = finding.rule, .value = {}};
    if (finding.span.file >= side.result.sources.size()) return entry;
    entry.path = side.files.canonical(side.result.sources[finding.span.file].path);
    if (old) entry.path = new_name(entry.path);
    return entry;
  }

  void compare_findings(const Side& before, const Side& after) {
    Baseline old;
    std::vector<const Finding*> old_findings;
    for (const Finding& finding : before.result.findings) {
      if (!concerns(finding, touched_before_)) continue;
      old.push_back(entry_of(before, finding, true));
      old_findings.push_back(&finding);
    }
    Baseline now;
    std::vector<const Finding*> new_findings;
    for (const Finding& finding : after.result.findings) {
      if (!concerns(finding, touched_after_)) continue;
      now.push_back(entry_of(after, finding, false));
      new_findings.push_back(&finding);
    }
    const BaselineMatch match =
        match_baseline(old, now, [](const std::string& /*path*/) { return false; });
    for (std::size_t i = 0; i < now.size(); ++i) {
      add(out_.findings, diff_finding(after.result, *new_findings[i], !match.entry_of[i]));
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (!match.used[i]) {
        add(out_.fixed, diff_finding(before.result, *old_findings[i], false));
      }
    }
  }

  /// Several targets find the same things.
  static void add(std::vector<DiffFinding>& findings, DiffFinding finding) {
    const auto same = [&](const DiffFinding& each) {
      return std::tie(each.rule, each.path, each.at, each.message) ==
             std::tie(finding.rule, finding.path, finding.at, finding.message);
    };
    if (std::none_of(findings.begin(), findings.end(), same)) {
      findings.push_back(std::move(finding));
    }
  }

  const DiffRequest& request_;
  DiffResult& out_;
  std::map<std::string, std::string> new_names_;  // old -> new
  std::set<std::string> touched_before_;          // paths as the sides spell them
  std::set<std::string> touched_after_;
};

/// The batch a learning rate was used with: over all devices, else over one.
std::optional<std::int64_t> batch_of(const TrainingPlan& facts) {
  if (facts.global_batch_size) return facts.global_batch_size->value;
  if (!facts.per_device_batch_size) return std::nullopt;
  std::int64_t batch = facts.per_device_batch_size->value;
  if (facts.gradient_accumulation_steps) {
    batch = saturating_multiply(batch, facts.gradient_accumulation_steps->value);
  }
  return batch;
}

/// What the new side's learning rates are compared with, by its paths.
std::map<std::string, LearningRateReference> references(const DiffRequest& request,
                                                        const DocumentComparison& names,
                                                        const Side& before) {
  std::map<std::string, LearningRateReference> found;
  const DiffEnd& after = request.after;
  if (!after.request.only) return found;
  for (const std::string& path : *after.request.only) {
    const FileReport* old = before.find(names.old_name(after.session.files().canonical(path)));
    if (!is_config(old) || old->plans.size() != 1 || !old->plans.front().plan) continue;
    const TrainingPlan& facts = old->plans.front().plan->facts;
    const auto batch = batch_of(facts);
    if (!facts.learning_rate || !batch) continue;
    found[path] = {.kind = LearningRateReference::Kind::previous,
                   .learning_rate = facts.learning_rate->value,
                   .global_batch_size = *batch,
                   .path = fmt::format("{}:{}", request.base, old->path),
                   .span = {}};
  }
  return found;
}

/// Adds to each side the files whose other version is looked at on the other side.
void complete(DiffEnd& before, DiffEnd& after, const DocumentComparison& names) {
  const auto by_canonical = [](const DiffEnd& end) {
    const FileReader& files = end.session.files();
    std::vector<Error> ignored;
    std::map<std::string, std::string> paths;
    for (const DiscoveredFile& file : discover(files, end.request.paths, ignored)) {
      paths.emplace(files.canonical(file.path), file.path);
    }
    return paths;
  };
  const auto old_paths = by_canonical(before);
  const auto new_paths = by_canonical(after);
  const std::set<std::string> old_only = *before.request.only;
  for (const std::string& path : *after.request.only) {
    const auto old = old_paths.find(names.old_name(after.session.files().canonical(path)));
    if (old != old_paths.end()) before.request.only->insert(old->second);
  }
  for (const std::string& path : old_only) {
    const auto now = new_paths.find(names.new_name(before.session.files().canonical(path)));
    if (now != new_paths.end()) after.request.only->insert(now->second);
  }
}

Side lint_end(const DiffEnd& end) {
  return {end.session.files(), lint(end.session, end.request), {}};
}

void sort(DiffResult& result) {
  std::stable_sort(result.configs.begin(), result.configs.end(),
                   [](const ConfigDiff& a, const ConfigDiff& b) {
                     return std::tie(a.path, a.phase) < std::tie(b.path, b.phase);
                   });
  for (std::vector<DiffFinding>* findings : {&result.findings, &result.fixed}) {
    std::stable_sort(findings->begin(), findings->end(),
                     [](const DiffFinding& a, const DiffFinding& b) {
                       return std::tie(a.path, a.at, a.rule) < std::tie(b.path, b.at, b.rule);
                     });
  }
  for (std::vector<std::string>* lines : {&result.left_out}) {
    std::sort(lines->begin(), lines->end());
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
  }
}

}  // namespace

std::optional<Bytes> DiffSide::headroom() const {
  if (!vram || !usable_vram || vram_is_lower_bound) return std::nullopt;
  return usable_vram->low - vram->central;
}

DiffResult diff(const DiffRequest& given) {
  DiffRequest request = given;
  DiffResult result;
  result.base = request.base;
  result.head = request.head;
  DocumentComparison comparison(request, result);
  for (DiffEnd* end : {&request.before, &request.after}) {
    end->request.only = possibly_touched(end->session.files(), end->request, request.changes);
  }
  complete(request.before, request.after, comparison);
  std::vector<std::optional<std::string>> targets(request.gpus.begin(), request.gpus.end());
  if (targets.empty()) targets.push_back(request.after.request.options.gpu);
  for (const std::optional<std::string>& gpu : targets) {
    for (DiffEnd* end : {&request.before, &request.after}) {
      end->request.options.gpu = gpu;
      end->request.options.keep_plans = true;
    }
    Side before = lint_end(request.before);
    before.index();
    request.after.request.previous = references(request, comparison, before);
    Side after = lint_end(request.after);
    comparison.compare(before, after);
  }
  sort(result);
  return result;
}

}  // namespace gpulint
