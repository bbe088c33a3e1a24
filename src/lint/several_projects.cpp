#include "lint/several_projects.h"

#include "base/text.h"
#include "finding/order.h"
#include "lint/folders.h"
#include "lint/runs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace gpulint {
namespace {

struct DataFolder {
  std::string path = {};  // as it was met: what messages name; "" = there is none
  std::string real = {};  // as FileReader::canonical spells it
};

/// Finds the data folder of each file; a folder is looked at once.
class DataFolders {
 public:
  explicit DataFolders(const FileReader& files) : files_(files) {}

  const DataFolder& of(const std::string& folder) {
    const auto known = by_folder_.find(folder);
    if (known != by_folder_.end()) return known->second;
    DataFolder found{.path = project_data_folder(files_, folder)};
    if (!found.path.empty()) found.real = files_.canonical(found.path);
    return by_folder_.emplace(folder, std::move(found)).first->second;
  }

 private:
  const FileReader& files_;
  std::map<std::string, DataFolder> by_folder_;
};

/// Path of a file -> the one whose data it is judged by, for files joined by hand.
std::map<std::string, std::string> first_of_runs(const LintRequest& request) {
  std::map<std::string, std::string> firsts;
  for (const std::vector<std::string>& run : request.runs) {
    for (const std::string& path : run) {
      firsts.emplace(normalize_path(path), normalize_path(run.front()));
    }
  }
  return firsts;
}

template <class Item>
void append(std::vector<Item>& to, std::vector<Item>& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace

std::vector<ProjectShare> shares_of(const SessionView& session, const LintRequest& request,
                                    std::vector<FileTask> tasks) {
  std::vector<ProjectShare> shares;
  shares.push_back({session, {}});
  if (!session.reads_data_folders()) {
    shares.front().tasks = std::move(tasks);
    return shares;
  }
  DataFolders folders(session.files());
  const auto firsts = first_of_runs(request);
  std::map<std::string, std::size_t> places{
      {"", 0}, {session.project_data(), 0}, {folders.of(session.folder()).real, 0}};
  for (FileTask& task : tasks) {
    const auto first = firsts.find(task.path);
    const std::string& path = first == firsts.end() ? task.path : first->second;
    const DataFolder& data = folders.of(folder_of(path));
    const auto [place, is_new] = places.emplace(data.real, shares.size());
    if (is_new) shares.push_back({session.with_project_data(data.path), {}});
    shares[place->second].tasks.push_back(std::move(task));
  }
  std::erase_if(
      shares, [&](const ProjectShare& share) { return share.tasks.empty() && shares.size() > 1; });
  for (ProjectShare& share : shares) {
    for (std::size_t i = 0; i < share.tasks.size(); ++i) {
      share.tasks[i].id = static_cast<FileId>(i);
    }
  }
  return shares;
}

LintResult join_results(std::vector<LintResult> results) {
  std::vector<std::string> paths;
  for (const LintResult& result : results) {
    for (const FileReport& file : result.files) paths.push_back(file.path);
  }
  std::sort(paths.begin(), paths.end());

  LintResult whole;
  whole.sources.resize(paths.size());
  auto kept = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (LintResult& result : results) {
    std::vector<FileId> ids;
    for (std::size_t i = 0; i < result.sources.size(); ++i) {
      if (i >= result.files.size()) {
        ids.push_back(static_cast<FileId>(whole.sources.size()));
        whole.sources.push_back(std::move(result.sources[i]));
        continue;
      }
      const auto place = std::lower_bound(paths.begin(), paths.end(), result.files[i].path);
      ids.push_back(static_cast<FileId>(place - paths.begin()));
      whole.sources[ids.back()] = std::move(result.sources[i]);
    }
    renumber(result, ids);
    append(whole.files, result.files);
    append(whole.findings, result.findings);
    append(whole.suppressed, result.suppressed);
    append(whole.errors, result.errors);
    kept->push_back(std::move(result.keeps));
  }
  whole.keeps = std::move(kept);
  std::sort(whole.files.begin(), whole.files.end(),
            [](const FileReport& a, const FileReport& b) { return a.path < b.path; });
  sort_and_join(whole.findings);
  sort_suppressed(whole.suppressed);
  return whole;
}

}  // namespace gpulint
