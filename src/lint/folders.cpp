#include "lint/folders.h"

#include "base/system_path.h"
#include "base/text.h"
#include "catalog/catalog.h"

namespace gpulint {

std::string folder_of(std::string_view path) {
  const std::string_view parent = parent_path(path);
  return parent.empty() ? "." : std::string(parent);
}

std::string parent_folder(const FileReader& reader, const std::string& folder) {
  if (is_root(folder)) return {};
  const bool goes_up = folder == "." || file_name(folder) == "..";
  if (!goes_up) return folder_of(folder);
  const std::string absolute = reader.canonical(folder);
  if (!is_absolute(absolute) || is_root(absolute)) return {};
  return folder == "." ? ".." : folder + "/..";
}

bool is_repository_root(const FileReader& reader, const std::string& folder) {
  return reader.kind(join_path(folder, ".git")) != FileKind::missing;
}

std::string project_data_folder(const FileReader& reader, const std::string& inner,
                                std::string_view below) {
  for (std::string folder = inner; !folder.empty(); folder = parent_folder(reader, folder)) {
    std::string data = join_path(folder, kProjectDataFolder);
    if (reader.kind(join_path(data, below)) == FileKind::directory) return data;
    if (is_repository_root(reader, folder)) break;
  }
  return {};
}

std::string relative_path(const FileReader& reader, const std::string& folder,
                          const std::string& path) {
  if (folder == "." && !is_absolute(path) && !path.starts_with("..")) return path;
  const auto below = [](const std::string& base, const std::string& whole) -> std::string {
    if (!whole.starts_with(base)) return {};
    std::string_view rest = std::string_view(whole).substr(base.size());
    if (!base.ends_with('/') && !rest.starts_with('/')) return {};
    while (rest.starts_with('/')) rest.remove_prefix(1);
    return std::string(rest);
  };
  if (std::string rest = below(folder, path); !rest.empty()) return rest;
  const std::string holder = join_path(reader.canonical(folder_of(path)), file_name(path));
  std::string rest = below(reader.canonical(folder), holder);
  return rest.empty() ? path : rest;
}

}  // namespace gpulint
