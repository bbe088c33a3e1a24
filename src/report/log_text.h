#pragma once

#include "report/format.h"

#include <string>
#include <string_view>

namespace gpulint {

/// `text` for the log of a CI system whose runner executes what it finds there: GitHub Actions
/// "::error::" at the start of a line and "##[error]" anywhere, Azure Pipelines "##vso[...]",
/// TeamCity "##teamcity[...]". Nothing in the text that is returned is a command, and a reader of
/// `syntax` still reads the same values. Commands that are meant stay commands.
std::string safe_in_log(std::string_view text, Syntax syntax);

}  // namespace gpulint
