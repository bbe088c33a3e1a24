#pragma once

#include "device/step_report.h"
#include "host/wire_reader.h"

namespace gpulint::probe {

Json to_json(const StepReport& report);
void read_step(Reader& reader, StepReport& report);

}  // namespace gpulint::probe
