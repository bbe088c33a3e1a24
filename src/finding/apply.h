#pragma once

#include "base/result.h"
#include "finding/finding.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpulint {

/// Positions in `edits` of two edits that claim the same bytes of one file, lowest place first;
/// nullopt when all can be applied together. Equal edits are one edit, and edits that only touch do
/// not collide; two insertions at one place do, because their order would be a guess.
struct EditCollision {
  std::size_t first = 0;
  std::size_t second = 0;
};
std::optional<EditCollision> find_collision(std::span<const Edit> edits);

/// `text` with every edit of file `file` applied; edits of other files are left out. An Error names
/// an edit that lies outside the text or collides with another: then nothing is changed.
Result<std::string> apply_edits(std::string_view text, FileId file, std::span<const Edit> edits);

}  // namespace gpulint
