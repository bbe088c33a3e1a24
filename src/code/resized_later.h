#pragma once

// Crops that the next transform of the same list resizes. Internal to this room.

#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <vector>

namespace gpulint {

/// `[RandomResizedCrop(150), Flip(), Resize(224, 224)]`: what `call` states is the size that the
/// list hands on, and what was `seen` of transforms before it is none.
void leave_out_resized(const python::Call& call, const std::vector<SeenFact>& stated,
                       std::vector<SeenFact>& seen);

}  // namespace gpulint
