#include "edit/fix_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gpulint {
namespace {

/// Joins the sets that share a path.
void join(std::vector<std::set<std::string>>& groups, std::set<std::string> one) {
  for (auto group = groups.begin(); group != groups.end();) {
    const bool shared = std::any_of(one.begin(), one.end(),
                                    [&](const auto& path) { return group->count(path) != 0; });
    if (!shared) {
      ++group;
      continue;
    }
    one.merge(*group);
    group = groups.erase(group);
  }
  groups.push_back(std::move(one));
}

}  // namespace

Result<std::string> FixTexts::read(const std::string& path, std::size_t limit) const {
  const auto text = texts_.find(path);
  if (text == texts_.end()) return files_->read(path, limit);
  if (text->second.size() > limit) {
    return fail(Error{
        .message = fmt::format("{} bytes are over the limit of {}", text->second.size(), limit),
        .file = path,
        .limit = true});
  }
  return text->second;
}

LintRequest part_of(const LintRequest& request, const FixUnit& unit) {
  const auto in_unit = [&](const std::string& path) {
    return std::binary_search(unit.paths.begin(), unit.paths.end(), path);
  };
  LintRequest part = request;
  part.paths = unit.paths;
  std::erase_if(part.runs, [&](const std::vector<std::string>& run) {
    return std::none_of(run.begin(), run.end(), in_unit);
  });
  part.options.keep_plans = true;
  part.options.only_compares = true;
  part.options.jobs = 1;
  part.options.suppose = false;  // nobody reads what else a trial could have said
  return part;
}

std::string path_of_span(const LintResult& result, const SourceSpan& span) {
  return span.file < result.sources.size() ? result.sources[span.file].path : std::string();
}

bool is_fixable(const Finding& finding, bool unsafe) {
  if (!finding.fix || finding.fix->edits.empty()) return false;
  return finding.fix->kind == FixKind::safe || (unsafe && finding.fix->kind == FixKind::unsafe);
}

std::vector<FixUnit> units_of(const LintResult& result, bool unsafe) {
  std::vector<std::set<std::string>> groups;
  for (const Finding& finding : result.findings) {
    if (!is_fixable(finding, unsafe)) continue;
    std::set<std::string> paths(finding.runs.begin(), finding.runs.end());
    paths.insert(path_of_span(result, finding.span));
    for (const Edit& edit : finding.fix->edits) paths.insert(path_of_span(result, edit.span));
    join(groups, std::move(paths));
  }
  std::vector<FixUnit> units;
  for (const auto& group : groups) units.push_back({{group.begin(), group.end()}});
  std::sort(units.begin(), units.end(),
            [](const FixUnit& a, const FixUnit& b) { return a.paths < b.paths; });
  return units;
}

}  // namespace gpulint
