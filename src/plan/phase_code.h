#pragma once

#include "code/read_code.h"
#include "source/document.h"

#include <span>

namespace gpulint {

/// Of the code that loads a config of several runs, what the scripts of one run say: those that
/// take a value from its `section` and none from those of the `others`. No facts where no script
/// does.
CodeReading code_of_section(const CodeReading& code, const Document& document, NodeId section,
                            std::span<const NodeId> others);

}  // namespace gpulint
