#pragma once

#include "report/format.h"

#include <string>
#include <string_view>

namespace gpulint {

/// `text` for the log of a CI system whose runner executes lines of the log: no line of it is a
/// command any more, and a reader of `syntax` still reads the same values. Commands stay commands.
std::string safe_in_log(std::string_view text, Syntax syntax);

}  // namespace gpulint
