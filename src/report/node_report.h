#pragma once

#include "probe/node_confirmation.h"

#include <string>

namespace gpulint {

/// `gpulint confirm --links`: for people, tables of cards and links and a line for each verdict and
/// each that stands out; and one object of schema gpulint.confirm-links/1.
std::string node_text(const probe::NodeConfirmation& confirmation);
std::string node_json(const probe::NodeConfirmation& confirmation);

}  // namespace gpulint
