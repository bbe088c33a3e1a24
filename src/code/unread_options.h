#pragma once

// Options that a program parses and no code reads. Internal to this room.

#include "base/source_span.h"
#include "code/program_options.h"

#include <string>
#include <vector>

namespace gpulint {

/// Their places in the code, sorted. None where what was parsed is handed to code that nobody sees,
/// which may read any of it.
std::vector<SourceSpan> unread_options(CodeBase& code, const std::string& root,
                                       const ProgramOptions& options);

}  // namespace gpulint
