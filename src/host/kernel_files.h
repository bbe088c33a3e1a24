#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// A file of /proc or /sys: at most 1 MiB. nullopt where there is none or it cannot be read.
std::optional<std::string> read_kernel_file(const std::string& path);

/// The whole of a text, less blanks around it, as a number that is not negative.
std::optional<std::int64_t> whole_number(std::string_view text);

/// What follows `key` on the line that begins with it, trimmed; nullopt where no line does.
std::optional<std::string> value_on_line(std::string_view text, std::string_view key);

}  // namespace gpulint::probe
