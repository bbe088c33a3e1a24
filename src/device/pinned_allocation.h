#pragma once

#include "device/driver.h"
#include "host/host_part.h"

namespace gpulint::probe {

/// How fast the driver of the first visible device gives page-locked memory; says why not where
/// there is none.
void measure_pinned(const DriverLibraries& libraries, const MachineFacts& machine,
                    const PartWriter& writer);

}  // namespace gpulint::probe
