#pragma once

#include "device/device_report.h"
#include "host/wire_reader.h"

namespace gpulint::probe {

Json to_json(const CardState& state);
Json to_json(const Sustained& sustained);
void read_state(Reader& reader, CardState& state);
void read_sustained(Reader& reader, Sustained& sustained);

}  // namespace gpulint::probe
