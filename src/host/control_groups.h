#pragma once

#include "host/host_facts.h"

#include <string>

namespace gpulint::probe {

/// Adds what control groups of either version grant this process. Limits of a group count for all
/// below it, so each is looked for from the process's own group up to the visible root.
void add_control_groups(const std::string& root, HostFacts& facts);

}  // namespace gpulint::probe
