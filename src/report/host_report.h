#pragma once

#include "probe/host_checks.h"

#include <string>

namespace gpulint {

/// `gpulint confirm --host`: for people, a line for each fact, figure and verdict; and one object
/// of schema gpulint.confirm-host/1.
std::string host_text(const probe::HostConfirmation& confirmation);
std::string host_json(const probe::HostConfirmation& confirmation);

}  // namespace gpulint
