#pragma once

#include "device/driver_session.h"

#include <cstddef>

namespace gpulint::probe {

/// Writes a word into every page of new memory: a driver that lends the host's (WSL) may promise
/// more than there is.
bool touch(const CudaApi& cuda, Calls& calls, CudaAddress address, std::size_t bytes);

}  // namespace gpulint::probe
