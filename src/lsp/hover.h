#pragma once

#include "lsp/checks.h"
#include "lsp/positions.h"

#include <cstdint>
#include <string>

namespace gpulint::lsp {

/// What stands at an offset of a document: the fact with its value, unit, meaning and origin, the
/// way of the value through the code, and the findings there with their arithmetic and the reason
/// for the rule. Markdown, or plain text; null where there is nothing to say.
Json hover_at(Check& check, const std::string& path, std::uint32_t offset, Units units,
              bool markdown);

/// The file of a result by its path; kNoFile where it has none.
FileId file_of(const LintResult& result, const std::string& path);

}  // namespace gpulint::lsp
