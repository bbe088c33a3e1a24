#pragma once

#include "plan/map_keys.h"
#include "plan/run.h"

namespace gpulint {

/// Adds what a companion states to what the config itself says: it fills what is unknown, beats the
/// config where its terms say so, and is an observation where the framework refuses to start on the
/// two together. A key the config speaks of in a way nobody understands stays unknown. `document`:
/// the config.
void join_companion(Mapping& config, Mapping companion, const CompanionDocument& joined,
                    const Document& document);

}  // namespace gpulint
