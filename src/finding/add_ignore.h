#pragma once

#include "finding/finding.h"
#include "source/document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// A text with suppressions written into it.
struct IgnoredText {
  std::string text;
  std::vector<const Finding*> written;
  std::vector<const Finding*> left;  // findings for which there is no place
};

/// Writes one suppression per line (in JSON: per object) that hides `findings`, all of which point
/// into `document`: behind the entry, above it where a comment behind would become part of a text,
/// at the top for findings about the whole file; rules join a suppression that is there already.
/// Nothing but comments (in JSON: the key for suppressions) is added; where reading the result
/// shows anything else, the text is left as it was. `reason`: one line.
IgnoredText add_ignores(const Document& document, std::span<const Finding* const> findings,
                        std::string_view reason);

}  // namespace gpulint
