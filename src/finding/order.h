#pragma once

#include "finding/finding.h"

#include <vector>

namespace gpulint {

/// Sorts by file, offset, rule, then everything else that is printed, and joins findings that say
/// the same of the same place (several runs sharing one base file, or several phases one part of a
/// file) into one that names all runs and phases.
/// File ids must be in the order of their paths.
void sort_and_join(std::vector<Finding>& findings);

}  // namespace gpulint
