#pragma once

// Data files as one run of bytes: the flat arrays of their Documents, written when the program is
// built and used in place when it runs. It is no exchange format: reader and writer are the same
// build, and the header only guards against a mix-up (cross-compiling, a stale object).

#include "base/result.h"
#include "catalog/catalog.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The same files in the same order give the same bytes. Comments are left out.
std::string write_blob(std::span<const DataFile> files);

/// Documents over `bytes`, which must outlive them and start at an address divisible by 8.
/// An Error when the header is another one or an array reaches beyond the end.
Result<std::vector<DataFile>> open_blob(std::string_view bytes);

}  // namespace gpulint
