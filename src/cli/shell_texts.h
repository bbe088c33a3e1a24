#pragma once

// Texts for shells and manual readers, written from what the commands declare.

#include "cli/surface.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpulint::cli {

inline constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

/// A completion script; nullopt for a shell we have none for.
std::optional<std::string> completion_script(std::string_view shell,
                                             std::span<const CommandSurface> commands);

/// The manual page, as roff with the man macros.
std::string man_page(std::span<const CommandSurface> commands);

}  // namespace gpulint::cli
