#pragma once

#include "device/batch_report.h"
#include "host/wire_reader.h"

namespace gpulint::probe {

Json to_json(const BatchReport& report);
void read_batch(Reader& reader, BatchReport& report);

}  // namespace gpulint::probe
