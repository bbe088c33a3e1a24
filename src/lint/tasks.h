#pragma once

// Which files a request is about. Internal to this room.

#include "base/result.h"
#include "lint/file_linter.h"
#include "lint/project_code.h"

#include <cstddef>
#include <vector>

namespace gpulint {

/// Into path order: the ids of files are their places in the list.
void sort_and_number(std::vector<FileTask>& tasks);

/// The configs of a request, the training scripts in its folders, and the configs that read what
/// was named. `left_out`: how many more scripts there are than are looked at.
std::vector<FileTask> list_tasks(const SessionView& session, const LintRequest& request,
                                 ProjectCode& code, std::vector<Error>& errors,
                                 std::size_t& left_out);

}  // namespace gpulint
