#pragma once

#include "device/footprint_report.h"
#include "host/wire_reader.h"

namespace gpulint::probe {

Json to_json(const FootprintReport& report);
void read_footprint(Reader& reader, FootprintReport& report);

}  // namespace gpulint::probe
