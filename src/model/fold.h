#pragma once

// A tape whose repeated layers are recorded once (Fold in record.h) written out layer by layer:
// for whoever needs the step event by event.

#include "model/tape.h"

namespace gpulint::model {

/// The tape that running every iteration leaves, number for number; a tape without folds is
/// returned as it is.
Tape unfold(Tape tape);

}  // namespace gpulint::model
