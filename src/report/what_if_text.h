#pragma once

#include "search/what_if.h"

#include <optional>
#include <string>

namespace gpulint {

/// The table below an estimate that only bounds from below: a column per number of ranks, a row per
/// value of another open fact. `usable`: device memory of the target, which each cell is judged by.
std::string what_if_text(const WhatIf& table, const std::optional<BytesRange>& usable);

}  // namespace gpulint
