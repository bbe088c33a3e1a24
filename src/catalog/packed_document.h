#pragma once

// A data file's tree in about three bytes a node beside its text, where the nodes themselves take
// sixty. Reading it back is a loop over the nodes, twenty times faster than reading YAML; it is
// done for the one file that is asked for.

#include "base/result.h"
#include "source/document.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Comments are left out. An Error for what no data file holds: anchors, aliases, tags, a second
/// document.
Result<std::string> pack(const Document& document);

/// The document `bytes` were packed from, under this path. Bytes that no `pack` wrote give some
/// document, never a read beyond their end.
Document unpack(std::string_view path, std::string_view bytes);

}  // namespace gpulint
