#pragma once

#include "python/host.h"

#include <string>

namespace gpulint {

/// Where a data set of the module, or what makes batches of its samples, puts tensors on the GPU
/// itself: they cannot be pinned any more, and worker processes cannot make them. Unknown: nowhere.
/// `acting`: the module's text without comments.
SourceSpan place_on_gpu(const python::Module& module, const std::string& acting);

}  // namespace gpulint
