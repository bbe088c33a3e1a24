#pragma once

#include <compare>
#include <cstdint>

namespace gpulint {

/// Index of a text in the run's list of files (`FileTable`). Spans carry it so that a fact which
/// came through an include still points at the file that states it.
using FileId = std::uint32_t;
inline constexpr FileId kNoFile = 0xffffffffU;

/// Half-open byte range [begin, end) of one file's text.
struct SourceSpan {
  FileId file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  constexpr bool known() const { return file != kNoFile; }
  friend constexpr auto operator<=>(const SourceSpan&, const SourceSpan&) = default;
};

/// 1-based line and column; columns count UTF-8 code points.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend constexpr auto operator<=>(const LineColumn&, const LineColumn&) = default;
};

}  // namespace gpulint
