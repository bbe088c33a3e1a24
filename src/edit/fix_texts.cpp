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

const std::string* FixTexts::replaced(const std::string& path) const {
  const auto text = texts_.find(path);
  if (text != texts_.end()) return &text->second;
  return below_ == nullptr ? nullptr : below_->replaced(path);
}

Result<std::string> FixTexts::read(const std::string& path, std::size_t limit) const {
  const auto text = texts_.find(path);
  if (text == texts_.end()) return disk_->read(path, limit);
  if (text->second.size() > limit) {
    return fail(Error{
        .message = fmt::format("{} bytes are over the limit of {}", text->second.size(), limit),
        .file = path,
        .limit = true});
  }
  return text->second;
}

LintRequest over(const LintRequest& request, const FixTexts& texts) {
  LintRequest changed = request;
  changed.reader = &texts;
  if (changed.standard_input) {
    const std::string* text = texts.replaced(changed.standard_input->path);
    if (text != nullptr) changed.standard_input->text = *text;
  }
  return changed;
}

LintRequest part_of(const LintRequest& request, const FixTexts& texts, const FixUnit& unit) {
  const auto in_unit = [&](const std::string& path) {
    return std::binary_search(unit.paths.begin(), unit.paths.end(), path);
  };
  LintRequest part = over(request, texts);
  part.paths = unit.paths;
  if (part.standard_input) {
    std::erase(part.paths, part.standard_input->path);
    if (!in_unit(part.standard_input->path)) part.standard_input.reset();
  }
  std::erase_if(part.runs, [&](const std::vector<std::string>& run) {
    return std::none_of(run.begin(), run.end(), in_unit);
  });
  part.options.keep_plans = true;
  part.options.jobs = 1;
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
