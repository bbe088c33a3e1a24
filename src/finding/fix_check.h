#pragma once

#include "finding/finding.h"
#include "source/document.h"

#include <span>
#include <string>

namespace gpulint {

/// What changed between the two readings of a file besides the values its edits name, in words;
/// "" = nothing. `edits` are those of this file, with places of `before`. Compared are every key,
/// value, tag, anchor and alias in order, and every comment an edit does not itself cover.
std::string unintended_change(const Document& before, const Document& after,
                              std::span<const Edit> edits);

}  // namespace gpulint
