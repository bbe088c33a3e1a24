#pragma once

// Switches by which a training program trains, or does something else.

#include "catalog/catalog.h"
#include "source/document.h"

#include <optional>

namespace gpulint {

/// `--do_train`: true; `--eval`, `--test_only`, `--is_training 0`: false; nullopt: `options`, of a
/// command line, have no word of either.
std::optional<bool> trains_by_switch(const Document& options, const ScriptMarks& marks);

/// `--do_eval`: it evaluates, and perhaps trains before.
bool evaluates_by_switch(const Document& options, const ScriptMarks& marks);

}  // namespace gpulint
