#pragma once

#include "device/step_report.h"
#include "probe/confirmation.h"

#include <string>
#include <vector>

namespace gpulint::probe {

/// The predicted time of the config's step, and its speed-up by mixed precision, against the same
/// with the replayed parts as measured. `disturbed_by`: "" or why the device was not itself.
std::vector<Check> check_step(const StepReport& step, const std::string& disturbed_by);

}  // namespace gpulint::probe
