#pragma once

#include "search/what_if.h"

#include <string>

namespace gpulint {

/// The table below an estimate that only bounds from below: a column per number of ranks, a row per
/// value of another open fact, each cell with its verdict where there is a target.
std::string what_if_text(const WhatIf& table);

}  // namespace gpulint
