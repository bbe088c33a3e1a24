#pragma once

#include "base/file_reader.h"

#include <string>

namespace gpulint {

/// One name for each file, whichever way round it was met: from `/a/b` as working directory,
/// `../b/c.py` is `c.py` and `../../a/d.py` is `../d.py`.
std::string from_here(const FileReader& reader, std::string path);

}  // namespace gpulint
