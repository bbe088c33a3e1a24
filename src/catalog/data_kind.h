#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// What a data file describes. Kinds are numbered in the archive: a new one goes to the end.
enum class DataKind : std::uint8_t { dialect, gpu, host, rule, model };
inline constexpr std::size_t kDataKinds = 5;

/// Kind by the folder a file lies in ("rules/memory/vram-over-budget.yaml"); nullopt for a path of none.
std::optional<DataKind> kind_of(std::string_view path);

}  // namespace gpulint
