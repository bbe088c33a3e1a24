#pragma once

#include "base/file_reader.h"

#include <string>

namespace gpulint {

/// Whether a .gitignore around `path` names it or a folder it lies in: its author may have the
/// file, so nothing follows from its absence here.
bool may_be_private(const FileReader& reader, const std::string& path);

}  // namespace gpulint
