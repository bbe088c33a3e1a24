#pragma once

#include "plan/run_files.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Where a name that stands in a config leads.
struct NamedPath {
  std::string path;         // normalized; "" when nothing can be read there: `why`
  std::string why = {};     // "no such file", "lies outside the project", …
  bool is_missing = false;  // a plain relative path that leads to nothing
};

/// Relative to the folder of the naming file, which is what `_BASE_` and its kin mean.
NamedPath find_beside(const RunFiles& files, const std::string& root, std::string_view from,
                      std::string_view name, FileKind wanted = FileKind::regular);

/// Relative to the folder of the naming file or to any folder around it up to the project's root:
/// what a framework opens from its working directory, which no config states.
NamedPath find_around(const RunFiles& files, const std::string& root, std::string_view from,
                      std::string_view name, FileKind wanted = FileKind::regular);

/// What a key names: find_around(), and of an absolute path, which may be of another machine, the
/// longest end that the project has, with a folder left.
NamedPath find_reference(const RunFiles& files, const std::string& root, std::string_view from,
                         std::string_view name);

/// True when `path`, links followed, lies below `root`.
bool is_inside(const RunFiles& files, const std::string& root, const std::string& path);

/// True for a text that can name a config: it ends like one and is not a placeholder.
bool names_a_config(std::string_view text);

}  // namespace gpulint
