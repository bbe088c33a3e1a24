#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace gpulint::probe {

/// Makes `folder` and what is missing above it, for its owner alone.
Result<void> make_folder(const std::string& folder);

/// Writes `folder`/`name` so that a reader sees the old text or the whole new one: a temporary file
/// beside it, synced, takes its name. A symbolic link under either name is replaced, not followed.
Result<void> write_atomically(const std::string& folder, const std::string& name,
                              std::string_view text);

}  // namespace gpulint::probe
