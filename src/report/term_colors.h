#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gpulint {

/// One colour per memory term, the same in every picture. Okabe and Ito's, which colour-blind
/// readers tell apart, and quieter ones for what is small.
inline constexpr std::array<std::string_view, 10> kTermColors{
    "#0072b2", "#e69f00", "#009e73", "#56b4e9", "#cc79a7",
    "#d55e00", "#b8ad1c", "#8a94a0", "#7a5195", "#4f6d2f"};

/// Place in `kTermColors` of a term of memory by its name; names nobody listed share the last.
std::size_t color_of_term(std::string_view name);

}  // namespace gpulint
