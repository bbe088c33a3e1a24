#pragma once

#include "device/device_report.h"

#include <string>
#include <string_view>

namespace gpulint::probe {

/// What the measuring process sends, as one JSON text. The reader does not trust it: a native
/// library ran in that process.
std::string write_wire(const Outcome& outcome);
Outcome read_wire(std::string_view text);

}  // namespace gpulint::probe
