#pragma once

#include "code/read_code.h"
#include "code/seen_facts.h"

#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// States samples_on_gpu where a data set of one of the modules, or what makes batches of its
/// samples, puts tensors on the GPU itself: they cannot be pinned any more, and worker processes
/// cannot make them.
void add_placed_samples(const CodeRequest& request, const std::set<std::string>& modules,
                        std::vector<SeenFact>& seen);

}  // namespace gpulint
