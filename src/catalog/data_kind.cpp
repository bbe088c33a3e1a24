#include "catalog/data_kind.h"

#include "base/text.h"

namespace gpulint {

std::optional<DataKind> kind_of(std::string_view path) {
  const std::string_view folder = parent_path(path);
  if (folder == "dialects") return DataKind::dialect;
  if (folder == "hardware_db/gpus") return DataKind::gpu;
  if (folder == "hardware_db/hosts") return DataKind::host;
  if (parent_path(folder) == "rules") return DataKind::rule;
  if (folder == "model_db/families" || folder == "model_db/parts") return DataKind::model;
  const std::string_view above = parent_path(folder);
  if (above == "model_db/models" || above == "model_db/recorded") return DataKind::model;
  return std::nullopt;
}

}  // namespace gpulint
