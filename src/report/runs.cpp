// `gpulint runs`: the runs of a project, each with its files. What a run reads and in which order
// it counts is what its facts were read by (plan/run.h), so the list cannot say anything else than
// what is judged.

#include "base/text.h"
#include "report/json_text.h"
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

/// Calls `visit` with each run that is judged: a file and one of its plans.
template <class Visit>
void for_each_run(const LintResult& result, Visit visit) {
  for (const FileReport& file : result.files) {
    if (file.state != FileState::linted || file.dialect.empty() || !file.part_of.empty()) continue;
    for (const PlanReport& plan : file.plans) visit(file, plan);
  }
}

std::string dialect_of(const FileReport& file, const PlanReport& plan) {
  return plan.plan != nullptr ? plan.plan->dialect : file.dialect;
}

}  // namespace

std::string runs_text(const LintResult& result, const ReportOptions&) {
  std::string text;
  std::int64_t runs = 0;
  for_each_run(result, [&](const FileReport& file, const PlanReport& plan) {
    ++runs;
    text += escape_for_display(file.path);
    if (plan.phase) text += ", " + escape_for_display(*plan.phase);
    text += fmt::format(" (dialect {})\n", dialect_of(file, plan));
    std::size_t width = 0;
    for (const RunSource& source : plan.sources) width = std::max(width, source.path.size());
    for (const RunSource& source : plan.sources) {
      const bool last = &source == &plan.sources.back();
      text += fmt::format("  {} {:<{}}  {}\n", last ? "└─" : "├─", escape_for_display(source.path),
                          width, escape_for_display(source.role));
    }
  });
  return text + counted(runs, "run") + "\n";
}

std::string runs_json(const LintResult& result) {
  Json runs = Json::array();
  for_each_run(result, [&](const FileReport& file, const PlanReport& plan) {
    Json sources = Json::array();
    for (const RunSource& source : plan.sources)
      sources.push_back({{"path", source.path}, {"role", source.role}});
    runs.push_back({{"path", file.path},
                    {"phase", plan.phase ? Json(*plan.phase) : Json()},
                    {"dialect", dialect_of(file, plan)},
                    {"sources", std::move(sources)}});
  });
  return json_text(Json{{"runs", std::move(runs)}});
}

}  // namespace gpulint
