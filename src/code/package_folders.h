#pragma once

#include "code/code_base.h"

#include <string>
#include <vector>

namespace gpulint {

/// Folders below the root whose packages are installed from there (`pip install -e ./package`),
/// sorted; not the root and its `src`, from which everything is imported.
std::vector<std::string> package_folders(CodeBase& code, const std::string& root);

}  // namespace gpulint
