#include "review/init_code.h"

#include "base/text.h"
#include "lint/lint.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace gpulint {
namespace {

/// "loaded by train.py:12, taken by train.py:33, torch.optim.AdamW(lr=cfg.speed)".
std::string evidence_of(const CodePath& path) {
  std::string text;
  if (!path.loaders.empty()) text = fmt::format("loaded by {}, ", join(path.loaders, ", "));
  return text + fmt::format("taken by {}, {}", path.taken_at, path.taken_by);
}

/// Of a key that states several facts the training's counts: an evaluation mostly has them too.
auto rank_of_key(const CodeKey& each) {
  return std::tuple(std::string_view(each.key), each.computed, each.fact.starts_with("eval_"),
                    -each.files, find_fact(each.fact));
}

}  // namespace

CodeSurvey survey_code(const SessionView& session, const InitRequest& request,
                       const std::set<std::string>& configs) {
  LintRequest asked;
  asked.paths = request.paths;
  asked.options.keep_plans = true;
  asked.options.limits = request.limits;
  asked.only = configs;
  CodeSurvey survey;
  std::map<std::pair<std::string, std::string>, CodeKey> found;  // key, fact
  for (const FileReport& file : lint(session, asked).files) {
    for (const PlanReport& report : file.plans) {
      if (report.plan == nullptr) continue;
      for (const CodePath& path : report.plan->code_paths) {
        const bool follows = path.from_config && path.agreed && !path.pointer.empty();
        if (!follows || find_fact(path.fact) == nullptr) continue;
        survey.configs.insert(file.path);
        const std::string key = dotted_key(path.pointer);
        CodeKey& made = found[{key, path.fact}];
        if (made.files++ > 0) continue;
        made = {key, path.fact, path.computed, 1, evidence_of(path)};
      }
    }
  }
  for (auto& [name, key] : found) survey.keys.push_back(std::move(key));
  std::stable_sort(survey.keys.begin(), survey.keys.end(), [](const CodeKey& a, const CodeKey& b) {
    return rank_of_key(a) < rank_of_key(b);
  });
  return survey;
}

}  // namespace gpulint
