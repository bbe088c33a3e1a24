#pragma once

// The programs that take a primary config of Hydra. Internal to this room.

#include <string>

namespace gpulint {

class CodeBase;

/// A script that trains names it: `@hydra.main(config_name="train")`.
bool is_named_by_training(CodeBase& code, const std::string& root, const std::string& config);

}  // namespace gpulint
