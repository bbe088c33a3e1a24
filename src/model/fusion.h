#pragma once

#include "model/tape.h"

namespace gpulint::model {

/// Operators merged into kernels that recompute: what autograd keeps is chosen anew. A saved tensor
/// that pointwise operators can make again from what is kept anyway, or from one smaller tensor, is
/// not kept. What a matrix product or convolution reads stays: it would have to be written out
/// again (inductor's partitioner bans that, kernel libraries cannot). No layers may be folded.
void keep_less(Tape& tape);

}  // namespace gpulint::model
