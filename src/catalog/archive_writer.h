#pragma once

#include "base/result.h"
#include "catalog/model_files.h"

#include <span>
#include <string>

namespace gpulint {

/// The bytes of a data archive (data_archive.h). The same files and names give the same bytes.
Result<std::string> write_archive(std::span<const DataFile> files,
                                  std::span<const ModelName> names);

}  // namespace gpulint
