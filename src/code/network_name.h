#pragma once

// What the network of a run is called: by the value of the config that names its class or the file
// it is defined in, by the one network that it loads, else by its class. Internal to this room.

#include "code/loaded_networks.h"
#include "code/read_code.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"
#include "python/reach.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// The fact `network`. `trained`: the networks that an optimizer is given. `reach` says which
/// values of the config, the options of the command and `configs`, further files of the run, the
/// program looked at. nullopt where the networks are of several classes of which none of these
/// names one, or none is of the project.
std::optional<SeenFact> network_name(const CodeRequest& request, python::Interpreter& in,
                                     const std::vector<python::Value>& trained,
                                     const python::Reach& reach,
                                     const std::set<std::string>& configs,
                                     const LoadedNetworks& loaded);

}  // namespace gpulint
