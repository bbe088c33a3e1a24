#pragma once

#include <cstddef>
#include <functional>

namespace gpulint {

/// Calls `work(0) … work(count - 1)` on up to `jobs` threads (0 = one per core). Every index writes
/// its own slot, so results do not depend on the number of threads.
void for_each_index(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work);

}  // namespace gpulint
