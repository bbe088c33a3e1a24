#pragma once

#include <string>

namespace gpulint::cli {

/// Where LD_LIBRARY_PATH has entries that could make a library out of files under review (a
/// trailing colon means the working directory), starts this program again without them: the loader
/// has read the variable by now. Returns where there is nothing to leave out.
void leave_out_unsafe_entries(const std::string& linted_folder);

}  // namespace gpulint::cli
