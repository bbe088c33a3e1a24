#pragma once

// Dialects in the archive. Every run asks every dialect whether a config is its own, so their heads
// are read at each start, and reading members in their order is several times faster than looking
// keys up in a tree. What the keys mean is read for the one dialect a file is written in.

#include "catalog/dialect.h"

#include <string>
#include <string_view>

namespace gpulint {

std::string store_dialect(const Dialect& dialect);

/// The dialect, its mapping read from `bytes` when first asked for; they must outlive it.
Dialect restore_dialect(std::string_view bytes);

}  // namespace gpulint
