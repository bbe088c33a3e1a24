#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Keys a framework reads, by the dotted path of the mapping they stand in ("" is the section's
/// root): sorted, in the spelling keys are compared in, each once.
using KnownKeys = std::map<std::string, std::vector<std::string>, std::less<>>;

/// How a key is written when keys are compared: lower case, `--micro-batch-size` as
/// `micro_batch_size`.
std::string compared_spelling(std::string_view key);

/// Every part of a dotted path is a key of the mapping before it. Patterns are left out.
KnownKeys known_keys_of(const std::vector<std::string>& paths);

}  // namespace gpulint
