#pragma once

// What a project says of the releases of the packages it needs: requirements, pyproject.toml,
// setup.py, conda environments, Dockerfiles, lock files, submodules. They are read as text, line by
// line.

#include "base/file_reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct RequirementFile {
  std::string path;
  std::string text;
  bool is_lock = false;
  bool lists_submodules = false;
};

/// One statement about a package.
struct Requirement {
  std::string file;  // path
  std::string text;  // as somebody wrote it: "trl>=0.19.1,<1"
  /// Comparisons that a release has to meet, ">=0.19.1"; empty: any release will do.
  std::vector<std::string> terms;
  bool is_lock = false;
  bool is_elsewhere = false;  // it comes from a repository: no release at all
};

/// The files of a folder, and of `requirements` below it, that state requirements.
std::vector<RequirementFile> requirement_files(const FileReader& reader, const std::string& folder);

/// Statements about a package, whose name is compared ignoring case and `-` against `_`. A lock
/// file, where it names the package, speaks for its folder alone.
std::vector<Requirement> requirements_of(const std::vector<RequirementFile>& files,
                                         std::string_view package);

/// Where a repository says which folders are git submodules, and these folders as they stand there.
inline constexpr std::string_view kSubmodules = ".gitmodules";
std::vector<std::string_view> submodule_folders(std::string_view text);

/// -1, 0 or 1: order of two releases by their numbers; what follows the numbers is left out.
int compare_releases(std::string_view a, std::string_view b);
/// True when a release meets a term such as ">=0.19", "==4.44.*", "~=2.1", "^4.40".
bool meets(std::string_view release, std::string_view term);
/// True when no release from `least` on meets the requirement, as far as its comparisons say.
bool excludes_from(const Requirement& requirement, std::string_view least);

}  // namespace gpulint
