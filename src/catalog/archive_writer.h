#pragma once

#include "base/result.h"
#include "catalog/model_files.h"
#include "catalog/rule.h"

#include <functional>
#include <span>
#include <string>

namespace gpulint {

/// Binds the conditions of a rule to the symbols of the engine, which is above this room.
using BindRule = std::function<Result<void>(Rule&)>;

/// The bytes of a data archive (data_archive.h). The same files and names give the same bytes.
Result<std::string> write_archive(std::span<const DataFile> files, std::span<const ModelName> names,
                                  const BindRule& bind);

}  // namespace gpulint
