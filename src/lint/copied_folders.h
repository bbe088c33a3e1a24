#pragma once

#include "lint/file_linter.h"

namespace gpulint {

/// Whether a file is part of what others wrote: a folder of the project, and not most of it, that
/// has a licence of its own. `package`: it can be installed too, and is mended where it comes from.
enum class Copied : std::uint8_t { no, part, package };

Copied copied_from_others(const LintShared& shared, const FileTask& task);

/// Of a part: nobody is told what could be better, and everything else is one step less grave.
void temper_copied(std::vector<Finding>& findings);

}  // namespace gpulint
