#pragma once

// yaml-cpp's error messages in the words of this project. Internal to this room.

#include "source/tree_builder.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint {

/// `at`: offset yaml-cpp gives; `found`: its message; `builder`: what was read until then, which
/// tells the innermost open bracket.
Error yaml_error(const std::string& path, std::string_view text, FileId file, std::uint32_t at,
                 std::string_view found, const TreeBuilder& builder);

}  // namespace gpulint
