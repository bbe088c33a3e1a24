#include "review/changed.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kProjectData = "/.gpulint/";
constexpr std::string_view kSharedFile = "pyproject.toml";  // may hold settings
/// With more names to look for than this, reading every config is cheaper.
constexpr std::size_t kMaxNames = 64;

struct Candidate {
  std::string path;
  std::string text;
};

}  // namespace

ChangeSet::ChangeSet(std::vector<std::string> paths) {
  for (std::string& path : paths) {
    const std::size_t data = path.find(kProjectData);
    if (is_project_file(file_name(path)) || file_name(path) == kSharedFile) {
      governed_.push_back(path.substr(0, path.size() - file_name(path).size()));
    } else if (data != std::string::npos) {
      governed_.push_back(path.substr(0, data + 1));
    }
    paths_.insert(std::move(path));
  }
}

bool ChangeSet::holds(const std::string& canonical_path) const {
  return paths_.count(canonical_path) != 0 ||
         std::any_of(governed_.begin(), governed_.end(),
                     [&](const std::string& folder) { return canonical_path.starts_with(folder); });
}

namespace {

/// Python files that changed, as a walk from the folders of the request spells them: scripts that
/// train are found by them, and so are those that import them.
void add_python(const FileReader& files, const LintRequest& request, const ChangeSet& changes,
                std::set<std::string>& touched) {
  for (const std::string& given : request.paths) {
    const std::string folder = normalize_path(given);
    const std::string around = files.canonical(folder) + "/";
    for (const std::string& path : changes.paths()) {
      if (path.ends_with(".py") && path.starts_with(around))
        touched.insert(normalize_path(join_path(folder, path.substr(around.size()))));
    }
  }
}

}  // namespace

std::set<std::string> possibly_touched(const FileReader& files, const LintRequest& request,
                                       const ChangeSet& changes) {
  std::vector<Error> ignored;  // discovery runs again, and reports them then
  std::set<std::string> touched;
  std::set<std::string> names;
  std::vector<std::string> searched;  // names still to be looked for
  const auto add_name = [&](std::string_view path) {
    if (names.emplace(stem_of(path)).second) searched.emplace_back(stem_of(path));
  };
  for (const std::string& path : changes.paths()) add_name(path);
  std::vector<Candidate> others;
  for (const DiscoveredFile& file : discover(files, request.paths, ignored)) {
    if (!request.runs.empty() || names.size() > kMaxNames ||
        changes.holds(files.canonical(file.path))) {
      touched.insert(file.path);
      continue;
    }
    auto text = files.read(file.path, request.options.limits.max_bytes);
    if (text) others.push_back({file.path, std::move(*text)});
  }
  while (!searched.empty()) {
    const std::string name = std::move(searched.back());
    searched.pop_back();
    const auto mentions = [&](const Candidate& each) {
      return each.text.find(name) != std::string::npos;
    };
    for (const Candidate& each : others) {
      if (!mentions(each)) continue;
      touched.insert(each.path);
      add_name(each.path);
    }
    std::erase_if(others, mentions);
  }
  add_python(files, request, changes, touched);
  return touched;
}

bool is_touched(const FileReport& file, const FileReader& reader, const ChangeSet& changes) {
  return changes.holds(reader.canonical(file.path)) ||
         std::any_of(file.reads.begin(), file.reads.end(), [&](const std::string& path) {
           return changes.holds(reader.canonical(path));
         });
}

void keep_touched(LintResult& result, const FileReader& reader, const ChangeSet& changes,
                  std::string_view unchanged) {
  std::set<std::string> untouched;
  for (FileReport& file : result.files) {
    if (is_touched(file, reader, changes)) continue;
    untouched.insert(file.path);
    file.state = FileState::skipped;
    file.reason = unchanged;
    file.dialect.clear();
    file.plans.clear();
  }
  const auto is_of_untouched = [&](const Finding& finding) {
    return !finding.runs.empty() &&
           std::all_of(finding.runs.begin(), finding.runs.end(),
                       [&](const std::string& run) { return untouched.count(run) != 0; });
  };
  std::erase_if(result.findings, is_of_untouched);
  std::erase_if(result.suppressed,
                [&](const SuppressedFinding& each) { return is_of_untouched(each.finding); });
}

}  // namespace gpulint
