#pragma once

#include "probe/step_report.h"
#include "probe/wire_reader.h"

namespace gpulint::probe {

Json to_json(const StepReport& report);
void read_step(Reader& reader, StepReport& report);

}  // namespace gpulint::probe
