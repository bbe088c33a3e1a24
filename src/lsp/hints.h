#pragma once

#include "lsp/checks.h"
#include "lsp/positions.h"

#include <string>

namespace gpulint::lsp {

/// Hints behind the values of a document that decide the most: what memory the batch needs and up
/// to which one fits, what a step trains on, how the rate compares with its reference, how long the
/// run takes. Only where a value is written in this document. `range`: of the request; hints
/// outside of it are left out.
Json inlay_hints(Check& check, const std::string& path, const Json& range, Units units);

/// One line above each run of a document: its verdict, what fits and, with `diff`, what it changes
/// since the last commit. Their commands show the whole.
Json code_lenses(Check& check, const std::string& path, const std::string& uri, Units units,
                 bool diff);

inline constexpr std::string_view kEstimateCommand = "gpulint.estimate";
inline constexpr std::string_view kFitCommand = "gpulint.fit";
inline constexpr std::string_view kDiffCommand = "gpulint.diff";

/// What `gpulint estimate` and `gpulint fit` print of a document, on its own target or `gpu`.
/// nullopt: another command.
std::optional<std::string> command_text(std::string_view command, const Check& check,
                                        const std::string& path);

/// "21.3 of 22.1 GiB"; "" without a target or an estimate.
std::string memory_words(const Estimate& estimate);

}  // namespace gpulint::lsp
