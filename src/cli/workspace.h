#pragma once

#include "base/file_reader.h"
#include "catalog/catalog.h"
#include "engine/engine.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {

/// What the binary knows, with the user's data folders laid over, ready to lint.
struct Workspace {
  Catalog catalog;
  Engine engine;
  std::vector<Gpu> measured = {};  // GPUs of the catalog with what `confirm` kept for this user
};

/// Embedded data < `data_folder` (--data) < `.gpulint/` of the project around the working
/// directory. A broken folder is added to `errors` and left out, so that linting goes on with the
/// rest; an Error means that the program itself is broken.
Result<Workspace> open_workspace(const FileReader& reader,
                                 const std::optional<std::string>& data_folder,
                                 std::vector<Error>& errors);

}  // namespace gpulint::cli
