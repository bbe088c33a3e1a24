#pragma once

#include "base/source_span.h"
#include "lint/lint.h"

#include <cstdint>
#include <string>

namespace gpulint {

/// One line of a config with the part a finding means underlined.
struct Excerpt {
  std::uint32_t line = 1;
  std::string text;       // escaped and cut to the width, tabs as one blank
  std::string underline;  // blanks and carets below `text`
};

/// The line where `span` begins; `width`: columns that may be used. A span over several lines is
/// underlined to the end of its first.
Excerpt excerpt_of(const SourceText& source, SourceSpan span, int width);

}  // namespace gpulint
