#pragma once

// What a module's text imports, by its lines. Internal to this room.

#include <string_view>
#include <vector>

namespace gpulint {

/// "torch.nn" of `import torch.nn as nn` and of `from torch.nn import Linear`; with the dots in
/// front where it is relative: ".loop".
std::vector<std::string_view> imported_names(std::string_view text);

}  // namespace gpulint
