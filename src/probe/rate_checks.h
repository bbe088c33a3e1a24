#pragma once

#include "catalog/hardware.h"
#include "device/device_report.h"
#include "device/gemm.h"
#include "probe/confirmation.h"

#include <vector>

namespace gpulint::probe {

/// The database's precision whose peak bounds products of a format.
Precision precision_of(NumberFormat format);

/// Measured rates against what the database says of the card: copies on the device, products by
/// tier, what 16 bits win over fp32 and tf32, and copies from the host over the link's width. Where
/// the database says nothing there is no check; nor of a MIG slice, whose rates are a part's.
std::vector<Check> check_rates(const DeviceReport& device, const Gpu& gpu);

}  // namespace gpulint::probe
