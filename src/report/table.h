#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// Columns separated by two blanks, each as wide as its widest cell. Cells are safe to display.
std::string table_text(std::span<const std::vector<std::string>> rows);

}  // namespace gpulint
