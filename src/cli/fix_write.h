#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <string_view>

namespace gpulint::cli {

/// What a write may rely on.
struct FixWrite {
  std::string path;
  std::string_view before;  // what was read; anything else there now is somebody's newer work
  std::string_view after;
  bool follow_symlinks = false;
};

/// Replaces a file in one step: a temporary file beside it, written and synced, takes its mode and
/// owner and then its name, so that a crash leaves the old text or the new one and nobody reads
/// half of it. Refused, with nothing changed: a file that differs from `before`, is read-only, is
/// gone, is not a regular file, or is reached through a symbolic link below the folders in `named`.
Result<void> write_fixed(const FixWrite& write, std::span<const std::string> named);

}  // namespace gpulint::cli
