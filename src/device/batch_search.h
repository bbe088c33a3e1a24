#pragma once

#include "device/batch_report.h"

#include <chrono>
#include <cstdint>
#include <functional>

namespace gpulint::probe {

/// Plays the footprint of a batch on the device.
using PlayBatch = std::function<FootprintReport(std::int64_t batch)>;

/// The largest batch that `play` says fits, from `predicted` outwards and then by halves. A batch
/// that the device may not be asked about ends the search, and so does `end`.
BatchReport find_batch(std::int64_t predicted, const PlayBatch& play,
                       std::chrono::steady_clock::time_point end);

}  // namespace gpulint::probe
