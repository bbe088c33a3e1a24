#include "edit/fix_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace gpulint {
namespace {

/// What will be one unit.
struct Group {
  std::set<std::string> paths;
  std::set<std::string> changed;  // those of them that a fix changes
};

/// Joins the groups that share a path.
void join(std::vector<Group>& groups, Group one) {
  for (auto group = groups.begin(); group != groups.end();) {
    const bool shared = std::any_of(one.paths.begin(), one.paths.end(), [&](const auto& path) {
      return group->paths.count(path) != 0;
    });
    if (!shared) {
      ++group;
      continue;
    }
    one.paths.merge(group->paths);
    one.changed.merge(group->changed);
    group = groups.erase(group);
  }
  groups.push_back(std::move(one));
}

bool is_in(const std::vector<std::string>& sorted, const std::string& path) {
  return std::binary_search(sorted.begin(), sorted.end(), path);
}

/// Finds the configs whose runs read a file.
class Readers {
 public:
  Readers(const SessionView& session, const LintRequest& request, const LintResult& result)
      : session_(session), request_(request) {
    for (const FileReport& file : result.files) {
      linted_.insert(file.path);
      for (const std::string& read : file.reads) readers_[read].push_back(file.path);
    }
  }

  /// Those of the lint, and for what the lint does not name those beside it.
  std::set<std::string> of(const std::set<std::string>& paths) const {
    std::set<std::string> found;
    LintRequest others = request_;
    others.paths.clear();
    others.options.keep_plans = false;
    for (const std::string& path : paths) {
      const auto own = readers_.find(path);
      if (own != readers_.end()) found.insert(own->second.begin(), own->second.end());
      if (linted_.count(path) == 0) others.paths.push_back(path);
    }
    if (!others.paths.empty()) {
      for (std::string& path : readers_of(session_, others)) found.insert(std::move(path));
    }
    return found;
  }

 private:
  const SessionView& session_;
  const LintRequest& request_;
  std::set<std::string> linted_;
  std::map<std::string, std::vector<std::string>> readers_;
};

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

bool FixUnit::has(const std::string& path) const {
  return is_in(paths, path) || is_in(readers, path);
}

LintRequest part_of(const LintRequest& request, const FixUnit& unit) {
  LintRequest part = request;
  part.paths = unit.paths;
  part.paths.insert(part.paths.end(), unit.readers.begin(), unit.readers.end());
  std::erase_if(part.runs, [&](const std::vector<std::string>& run) {
    return std::none_of(run.begin(), run.end(),
                        [&](const std::string& path) { return unit.has(path); });
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

std::vector<FixUnit> units_of(const SessionView& session, const LintRequest& request,
                              const LintResult& result, bool unsafe) {
  std::vector<Group> groups;
  for (const Finding& finding : result.findings) {
    if (!is_fixable(finding, unsafe)) continue;
    Group group{{finding.runs.begin(), finding.runs.end()}, {}};
    for (const Edit& edit : finding.fix->edits)
      group.changed.insert(path_of_span(result, edit.span));
    group.paths.insert(path_of_span(result, finding.span));
    group.paths.insert(group.changed.begin(), group.changed.end());
    join(groups, std::move(group));
  }
  const Readers readers(session, request, result);
  std::vector<FixUnit> units;
  for (const Group& group : groups) {
    std::set<std::string> others = readers.of(group.changed);
    for (const std::string& path : group.paths) others.erase(path);
    units.push_back({{group.paths.begin(), group.paths.end()}, {others.begin(), others.end()}});
  }
  std::sort(units.begin(), units.end(),
            [](const FixUnit& a, const FixUnit& b) { return a.paths < b.paths; });
  return units;
}

}  // namespace gpulint
