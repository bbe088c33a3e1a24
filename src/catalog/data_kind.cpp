#include "catalog/data_kind.h"

#include "base/text.h"

namespace gpulint {

std::string_view name_of(DataKind kind) {
  switch (kind) {
    case DataKind::dialect:
      return "dialect";
    case DataKind::gpu:
      return "GPU";
    case DataKind::host:
      return "host";
    case DataKind::rule:
      return "rule";
    case DataKind::model:
      return "model";
    case DataKind::architecture:
      return "GPU architecture";
    case DataKind::fleet:
      return "fleet";
    case DataKind::optimizer:
      return "optimizer";
    case DataKind::adapter:
      return "adapter";
    case DataKind::implementation:
      return "implementation";
    case DataKind::engine:
      return "sharding engine";
    case DataKind::words:
      return "word list";
    case DataKind::consumers:
      return "list of calls";
    case DataKind::launcher:
      return "launcher";
    case DataKind::network:
      return "network form";
    case DataKind::catalogue:
      return "package";
  }
  return "";
}

std::optional<DataKind> kind_of(std::string_view path) {
  const std::string_view folder = parent_path(path);
  for (const KindFolder& known : kKindFolders) {
    if (known.path == (known.below.empty() ? folder : parent_path(folder))) return known.kind;
  }
  return std::nullopt;
}

}  // namespace gpulint
