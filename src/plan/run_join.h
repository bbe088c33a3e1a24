#pragma once

#include "plan/map_keys.h"
#include "plan/run.h"

#include <span>

namespace gpulint {

/// Takes from a companion what the text that names it states, or leaves open, itself: `stated` are
/// the states of that text's facts.
void yield_to(std::span<const FactState> stated, Mapping& companion);

/// Adds what a companion states to what the config itself says: it fills what is unknown, beats the
/// config where its terms say so, and is an observation where the framework refuses to start on the
/// two together. A key the config speaks of in a way nobody understands stays unknown. `document`:
/// the config.
void join_companion(Mapping& config, Mapping companion, const CompanionDocument& joined,
                    const Document& document);

}  // namespace gpulint
