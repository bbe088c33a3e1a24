#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::disk {

struct PrivateFile {
  std::string name;  // without its folder
  Result<std::string> text;
};

struct PrivateLimits {
  std::size_t bytes = 0;  // of one file
  std::size_t files = 0;
};

/// The files of `folder` whose names end on `ending`, by name; none where there is no folder. What
/// somebody else could have written is refused: a folder or file that another user owns or may
/// write, or a symbolic link in place of either. An Error is about the folder.
Result<std::vector<PrivateFile>> read_private_folder(const std::string& folder,
                                                     std::string_view ending,
                                                     const PrivateLimits& limits);

}  // namespace gpulint::disk
