#pragma once

#include "base/file_reader.h"
#include "cli/arguments.h"
#include "probe/confirmation.h"
#include "probe/rank_report.h"

#include <string>

namespace gpulint::cli {

/// The nearest folder around the working directory that holds a repository or a project file; the
/// working directory itself when there is none.
std::string linted_folder(const FileReader& reader);

/// What the measuring process of `confirm` is asked for, as command line and environment say.
probe::MeasureRequest measure_request(const Arguments& arguments, const FileReader& reader,
                                      const probe::RankFacts& place);

/// Where a launcher says that this process runs.
probe::RankFacts place_in_job();

}  // namespace gpulint::cli
