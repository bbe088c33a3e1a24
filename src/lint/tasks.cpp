#include "lint/tasks.h"

#include "lint/folders.h"
#include "lint/programs.h"
#include "lint/runs.h"

#include <algorithm>
#include <utility>

namespace gpulint {

void sort_and_number(std::vector<FileTask>& tasks) {
  std::sort(tasks.begin(), tasks.end(),
            [](const FileTask& a, const FileTask& b) { return a.path < b.path; });
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].id = static_cast<FileId>(i);
}

std::vector<FileTask> list_tasks(const SessionView& session, const LintRequest& request,
                                 ProjectCode& code, std::vector<Error>& errors,
                                 std::size_t& left_out) {
  std::vector<FileTask> tasks;
  for (DiscoveredFile& file : discover(session.files(), paths_with_runs(request), errors)) {
    if (request.only && request.only->count(file.path) == 0) continue;
    tasks.push_back({.path = std::move(file.path), .named = file.named});
  }
  left_out = add_programs(session.files(), request, code.files, tasks);
  for (const std::string& path : request.readers) tasks.push_back({.path = path});
  sort_and_number(tasks);
  return tasks;
}

}  // namespace gpulint
