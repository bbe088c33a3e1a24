#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// error: will crash or be refused; warning: waste or a wrong result is likely; note: advice.
enum class Severity : std::uint8_t { note, warning, error };

std::string_view name_of(Severity severity);
std::optional<Severity> severity_from(std::string_view name);

}  // namespace gpulint
