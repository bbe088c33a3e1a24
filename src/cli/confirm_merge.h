#pragma once

#include "base/file_reader.h"
#include "cli/arguments.h"

namespace gpulint::cli {

/// `gpulint confirm --merge`: the reports of a fleet, compared; measures nothing.
int merge_reports(const Arguments& arguments, const FileReader& reader);

}  // namespace gpulint::cli
