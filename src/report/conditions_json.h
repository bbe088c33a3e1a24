#pragma once

#include "report/json_text.h"
#include "search/conditions.h"
#include "search/least_devices.h"

#include <optional>
#include <span>

namespace gpulint {

/// The VRAM needed under each condition, in bytes; every fact with the values it holds for.
Json conditions_json(std::span<const Condition> conditions);

/// How many devices the run takes; null where that is not the question.
Json devices_json(const std::optional<LeastDevices>& devices);

}  // namespace gpulint
