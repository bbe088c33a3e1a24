#pragma once

// Files of a project by the paths that its code opens. Internal to this room.

#include "code/read_code.h"

#include <string>
#include <string_view>

namespace gpulint {

/// From the working directory, which is the project's root or the script's folder; "" = none.
std::string named_file(const CodeRequest& request, std::string_view script, std::string_view named);

/// Whether a file is in no folder of the project by this name, though the folder has code that
/// prepares what is in it, none of which names such a file.
bool is_never_made_file(const CodeRequest& request, std::string_view script,
                        std::string_view named);

}  // namespace gpulint
