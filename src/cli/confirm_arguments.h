#pragma once

// What `gpulint confirm` is asked for, and what does not go together in it.

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/options.h"

namespace gpulint::cli {

Result<void> read_confirm(Arguments& arguments, const RawOptions& raw);

}  // namespace gpulint::cli
