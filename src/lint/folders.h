#pragma once

#include "base/file_reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Folder of a file as the walk spells folders: "." for a file of the working directory.
std::string folder_of(std::string_view path);

/// The folder around `folder`, or "" at the top ("/", or where the reader knows no more).
std::string parent_folder(const FileReader& reader, const std::string& folder);

/// True where a repository begins: nothing above it concerns its files.
bool is_repository_root(const FileReader& reader, const std::string& folder);

/// The nearest `.gpulint` around a folder within its repository that is a folder, and holds the
/// folder `below` where one is asked for; or "".
std::string project_data_folder(const FileReader& reader, const std::string& inner,
                                std::string_view below = {});

/// `path` as seen from `folder`, which holds it; the path itself when the spellings share nothing.
std::string relative_path(const FileReader& reader, const std::string& folder,
                          const std::string& path);

}  // namespace gpulint
