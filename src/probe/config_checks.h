#pragma once

#include "device/footprint_report.h"
#include "probe/confirmation.h"

#include <optional>
#include <vector>

namespace gpulint::probe {

/// What the estimate says of a config on this device.
struct ConfigPrediction {
  BytesRange total;                  // of the most loaded process, as nvidia-smi shows it
  std::optional<BytesRange> usable;  // of the device; unknown where the database does not say
};

/// What was played of a config against what was predicted of it. `device` has a footprint.
std::vector<Check> check_config(const DeviceReport& device, const ConfigPrediction& prediction);

/// The largest batch the device gave, against the estimate's.
Check check_batch(const BatchReport& batch, std::int64_t predicted);

/// "fits: 71 GiB of ...": the outcome of a footprint for people, without a line end.
std::string in_words(const FootprintReport& footprint);

}  // namespace gpulint::probe
