#pragma once

#include "device/bench.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gpulint::probe {

// Passes over `bytes` of random numbers in the device's memory, in seconds of one pass by sample.
// Unset after a failure, which the bench's calls then hold. Bytes: a multiple of 16, at least 4096.

/// By our kernel, from one buffer to another of the same size; compared with its source first.
/// `beyond`: each pass takes other bytes than the one before, until so many have been passed over;
/// a pass smaller than the caches would else be timed from them.
std::optional<std::vector<double>> sample_copy(Bench& bench, std::size_t bytes,
                                               const SamplePlan& plan = {}, std::size_t beyond = 0);
/// By the driver. It has to have the function.
std::optional<std::vector<double>> sample_driver_copy(Bench& bench, std::size_t bytes,
                                                      const SamplePlan& plan = {});
/// By our kernel, without writing.
std::optional<std::vector<double>> sample_read(Bench& bench, std::size_t bytes,
                                               const SamplePlan& plan = {});

}  // namespace gpulint::probe
