#pragma once

#include "plan/run.h"

#include <memory>
#include <string_view>

namespace gpulint {

/// In-house keys may carry words around them (`dataloader_batch_size`): the keys without these, where
/// a dialect takes them so. A run of no dialect may become one of it. nullptr: nothing changes.
std::unique_ptr<KeyIndex> read_decorated_keys(const RunRequest& request, const Document& document,
                                              const KeyIndex& keys, std::string_view path,
                                              Recognition& recognition);

}  // namespace gpulint
