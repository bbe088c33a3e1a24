#pragma once

// Words of a framework and what they mean: "16-mixed" is fp16.

#include "catalog/dialect.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpulint {

/// As a native value: every other one.
inline constexpr std::string_view kEveryOther = "*";

/// `text` through a dialect's value map; nullopt when the map says unknown, "absent" when it says
/// that such a value counts as no key at all.
std::optional<std::string> map_value(std::span<const ValueMapping> own,
                                     std::span<const ValueMapping> shared, std::string text);
const ValueMap* find_value_map(std::span<const Dialect> dialects, std::string_view name);

}  // namespace gpulint
