#pragma once

// Training scripts in the folders that are linted: what no config of the same lint is read by and
// no command of it starts is a run of its own, with the values that stand in its code. Internal to
// this room.

#include "lint/file_linter.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Adds the training scripts below the folders of the request to its tasks; how many more there are
/// than are looked at.
std::size_t add_programs(const FileReader& files, const LintRequest& request, CodeBase& code,
                         std::vector<FileTask>& tasks);

/// Whether a script says of itself how it trains: one that is told by its command line does not.
bool states_a_run(std::span<const Plan> plans);

/// Whether it says so much that what it imports is judged with it: a search that draws the batch
/// of the training it imports does not.
bool states_a_whole_run(std::span<const Plan> plans);

/// Values of a script that takes options are defaults, and whoever starts it may give others: what
/// is told of them is no error, and no advice on what would be faster.
void temper_defaults(std::string_view text, const ScriptMarks& marks, std::span<const Rule> rules,
                     std::vector<Finding>& findings);

/// Keeps which Python files a run consists of.
void note_programs(const CodeReading& code, FileOutcome& outcome);

/// Judges the training scripts among the tasks that none of the other runs starts or imports; of
/// those, one that another of them imports is judged there. `outcomes`: one per task, of which
/// those of other files are there.
void judge_programs(const LintShared& shared, const std::vector<FileTask>& tasks,
                    std::vector<FileOutcome>& outcomes, LintProgress& progress);

/// A script that turned out to be no run of its own was nobody's config either: no report speaks of
/// it.
void leave_out_programs(const std::vector<FileTask>& tasks, LintResult& result);

}  // namespace gpulint
