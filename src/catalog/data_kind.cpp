#include "catalog/data_kind.h"

#include "base/text.h"

namespace gpulint {

std::optional<DataKind> kind_of(std::string_view path) {
  const std::string_view folder = parent_path(path);
  if (folder == "dialects") return DataKind::dialect;
  if (folder == "hardware_db/gpus") return DataKind::gpu;
  if (folder == "hardware_db/hosts") return DataKind::host;
  if (parent_path(folder) == "rules") return DataKind::rule;
  if (parent_path(folder) == "model_db") return DataKind::model;
  return std::nullopt;
}

}  // namespace gpulint
