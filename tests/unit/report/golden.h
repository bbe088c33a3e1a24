#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace gpulint {

/// Compares `text` with tests/golden/<name>; GPULINT_UPDATE_GOLDEN=1 rewrites the file instead.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GPULINT_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("GPULINT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ostringstream expected;
  expected << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK(text == expected.str());
}

}  // namespace gpulint
