#pragma once

#include "lint/lint.h"

#include <string_view>

namespace gpulint {

/// A span as people and tools read it: 1-based, columns in code points, `end` exclusive.
struct Place {
  std::string_view path;
  LineColumn begin;
  LineColumn end;
};

/// Place of a span in a file of `result`; line 1, column 1 where the text is not at hand.
Place place_of(const LintResult& result, SourceSpan span);

/// Text a span points into; nullptr when it was not kept.
const SourceText* source_of(const LintResult& result, SourceSpan span);

}  // namespace gpulint
