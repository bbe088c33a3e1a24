#include "lsp/hints.h"

#include "catalog/catalog.h"
#include "engine/learning_rate.h"
#include "lsp/diagnostics.h"
#include "lsp/hover.h"
#include "plan/fact_table.h"
#include "report/budget_bar.h"
#include "report/duration.h"
#include "report/fit_report.h"
#include "report/report.h"
#include "search/fit.h"
#include "search/largest_batch.h"

#include <fmt/format.h>

#include <map>

namespace gpulint::lsp {
namespace {

/// Of the budgets as GiB with one digit: both numbers of a hint in one unit.
std::string gibibytes(Bytes bytes) { return fmt::format("{:.1f}", bytes.as_gib()); }

EstimateRequest request_for(const PlanReport& plan) {
  return {.run = *plan.run, .measurements = plan.measurements, .headroom = plan.headroom};
}

std::string batch_words(const PlanReport& plan) {
  std::string text = memory_words(plan.estimate);
  if (text.empty()) return text;
  const Fit fit = plan.estimate.vram_verdict.fit;
  if (fit == Fit::does_not_fit || fit == Fit::thin) text += fmt::format(" · {}", name_of(fit));
  if (const auto largest = largest_batch_that_fits(request_for(plan))) {
    text += *largest == 0 ? " · not one sample fits" : fmt::format(" · fits up to {}", *largest);
  }
  return text;
}

/// "512 samples a step · 0.82 s".
std::string step_words(const PlanReport& plan) {
  const Maybe<std::int64_t>& global = plan.plan->facts.global_batch_size;
  std::string text;
  if (global && global->from.origin != Origin::stated) {
    const bool assumed = global->from.origin == Origin::assumed;
    text = fmt::format("{} a step{}", counted(global->value, "sample"), assumed ? ", assumed" : "");
  }
  if (const auto& step = plan.estimate.step_time) {
    const std::string time = duration_text(step->total.central.value);
    text += text.empty() ? time + " a step" : " · " + time;
  }
  return text;
}

std::string run_words(const Estimate& estimate) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
  if (estimate.run_steps) add(counted(*estimate.run_steps, "step"));
  if (estimate.run_time) add(duration_text(estimate.run_time->central.value));
  if (estimate.cost) add(fmt::format("${:.2f}", estimate.cost->central.dollars));
  return text;
}

std::string rate_words(const PlanReport& plan, const Catalog& catalog) {
  const LearningRateJudgement judged =
      judge_learning_rate(plan.plan->facts, catalog.dialect(plan.plan->dialect), std::nullopt);
  const bool certain = judged.expected && judged.reference && judged.global_batch_size &&
                       !judged.batch_is_lower_bound && !judged.scaled_in_code.value_or(false);
  if (!certain || !judged.rule) return {};
  return fmt::format("{:.3g} at batch {} scales to {:.3g} at {}", judged.reference->learning_rate,
                     judged.reference->global_batch_size, *judged.expected,
                     *judged.global_batch_size);
}

class HintWriter {
 public:
  HintWriter(FileId file, const Catalog& catalog) : file_(file), catalog_(catalog) {}

  void add(const PlanReport& plan) {
    if (plan.plan == nullptr || !plan.run) return;
    const TrainingPlan& facts = plan.plan->facts;
    const bool has_batch = is_here(facts.per_device_batch_size);
    if (has_batch) put(facts.per_device_batch_size, batch_words(plan), budget_line(plan));
    if (is_here(facts.gradient_accumulation_steps)) {
      put(facts.gradient_accumulation_steps, step_words(plan), {});
    } else if (has_batch) {
      put(facts.per_device_batch_size, step_words(plan), {});
    }
    if (is_here(facts.learning_rate)) {
      put(facts.learning_rate, rate_words(plan, catalog_), {});
    }
    if (is_here(facts.max_steps)) {
      put(facts.max_steps, run_words(plan.estimate), {});
    } else if (is_here(facts.epochs)) {
      put(facts.epochs, run_words(plan.estimate), {});
    }
  }

  /// By offset: text and what a pointer over it shows. Phases that share a value share the hint of
  /// the first.
  struct Hint {
    std::string text;
    std::string tooltip;
  };
  const std::map<std::uint32_t, Hint>& hints() const { return hints_; }

 private:
  template <class T>
  bool is_here(const Maybe<T>& fact) const {
    return fact && fact->from.origin == Origin::stated && fact->from.span.file == file_;
  }

  template <class T>
  void put(const Maybe<T>& fact, const std::string& text, std::string tooltip) {
    if (text.empty()) return;
    Hint& hint = hints_[fact->from.span.end];
    if (hint.text.find(text) != std::string::npos) return;
    hint.text += (hint.text.empty() ? "▸ " : " · ") + text;
    if (hint.tooltip.empty()) hint.tooltip = std::move(tooltip);
  }

  FileId file_;
  const Catalog& catalog_;
  std::map<std::uint32_t, Hint> hints_;
};

const FileReport* report_of(const LintResult& result, const std::string& path) {
  for (const FileReport& file : result.files) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

/// Where a run of the file says its batch, else its first line.
std::uint32_t place_of_run(const PlanReport& plan, FileId file) {
  const Maybe<std::int64_t>& batch = plan.plan->facts.per_device_batch_size;
  return batch && batch->from.span.file == file ? batch->from.span.begin : 0;
}

Json lens(const Json& range, std::string title, std::string_view command, const std::string& uri) {
  return {{"range", range},
          {"command", {{"title", std::move(title)}, {"command", command}, {"arguments", {uri}}}}};
}

std::string estimate_title(const PlanReport& plan) {
  const std::string phase = plan.phase ? *plan.phase + ": " : "";
  if (plan.gpu == nullptr) return phase + "estimate (no GPU is named)";
  const std::string memory = memory_words(plan.estimate);
  if (memory.empty()) return fmt::format("{}estimate on {}", phase, plan.gpu->id);
  std::string title =
      fmt::format("{}{}: {}", phase, memory, name_of(plan.estimate.vram_verdict.fit));
  if (const auto& step = plan.estimate.step_time) {
    title += fmt::format(" · {} a step", duration_text(step->total.central.value));
  }
  return fmt::format("{} on {}", title, plan.gpu->id);
}

}  // namespace

std::string memory_words(const Estimate& estimate) {
  if (!counts_network(estimate) || !estimate.usable_vram) return {};
  const VramEstimate& vram = *estimate.vram;
  const std::string_view bound = vram.lower_bound_only ? "at least " : "";
  const Bytes needed = vram.lower_bound_only ? vram.needed.low : vram.needed.central;
  return fmt::format("{}{} of {} GiB", bound, gibibytes(needed),
                     gibibytes(estimate.usable_vram->low));
}

Json inlay_hints(Check& check, const std::string& path, const Json& range, Units units) {
  Json hints = Json::array();
  const LintResult& result = close_look(check);
  const FileId file = file_of(result, path);
  if (file == kNoFile) return hints;
  HintWriter writer(file, check.view.catalog());
  for (const FileReport& report : result.files) {
    for (const PlanReport& plan : report.plans) writer.add(plan);
  }
  const SourceText& source = result.sources[file];
  const TextPlaces places(source.text, source.lines, units);
  const Json* start = member(range, {"start"});
  const Json* end = member(range, {"end"});
  for (const auto& [offset, hint] : writer.hints()) {
    const Position at = places.at(offset);
    if (start != nullptr && at < position_from(*start)) continue;
    if (end != nullptr && position_from(*end) < at) continue;
    Json item{{"position", json_of(at)}, {"label", hint.text}, {"paddingLeft", true}};
    if (!hint.tooltip.empty()) item["tooltip"] = hint.tooltip;
    hints.push_back(std::move(item));
  }
  return hints;
}

Json code_lenses(Check& check, const std::string& path, const std::string& uri, Units units,
                 bool diff) {
  Json lenses = Json::array();
  const LintResult& result = close_look(check);
  const FileReport* report = report_of(result, path);
  const FileId file = file_of(result, path);
  if (report == nullptr || file == kNoFile) return lenses;
  for (const PlanReport& plan : report->plans) {
    if (plan.plan == nullptr) continue;
    const std::uint32_t offset = place_of_run(plan, file);
    const auto range = range_of(result, {file, offset, offset}, units);
    if (!range) continue;
    lenses.push_back(lens(*range, escape_for_display(estimate_title(plan)), kEstimateCommand, uri));
    lenses.push_back(lens(*range, "what fits", kFitCommand, uri));
    if (diff) lenses.push_back(lens(*range, "changes since HEAD", kDiffCommand, uri));
  }
  return lenses;
}

std::optional<std::string> command_text(std::string_view command, const Check& check,
                                        const std::string& path) {
  const bool is_fit = command == kFitCommand;
  if (!is_fit && command != kEstimateCommand) return std::nullopt;
  LintRequest request = check.request;
  request.paths = {path};
  request.options.keep_plans = true;
  request.options.suppose = !is_fit;
  const LintResult result = lint(check.view, request);
  const FileReport* report = report_of(result, path);
  if (report == nullptr || report->plans.empty()) return "the file states no training run\n";
  if (!is_fit) return estimate_text(*report, {});
  const PlanReport& plan = report->plans.front();
  std::vector<FitRow> rows;
  if (plan.gpu != nullptr) rows.push_back({plan.gpu, fit(request_for(plan), FitDetail::whole)});
  for (const Gpu* gpu :
       plan.gpu == nullptr ? check.view.catalog().gpus() : std::vector<const Gpu*>{}) {
    if (!gpu->usable_memory) continue;
    EstimateRequest asked = request_for(plan);
    asked.run = plan.run->on({gpu, plan.host});
    rows.push_back({gpu, fit(asked, FitDetail::matrix)});
  }
  return fit_text(path, rows, {});
}

}  // namespace gpulint::lsp
