#pragma once

#include "catalog/hardware.h"
#include "probe/gemm.h"

namespace gpulint::probe {

/// The database's precision whose peak bounds products of a format.
Precision precision_of(NumberFormat format);

}  // namespace gpulint::probe
