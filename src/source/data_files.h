#pragma once

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gpulint {

/// How the names of files end that hold nothing but data: YAML, JSON and TOML.
inline constexpr std::array<std::string_view, 4> kDataEndings{"yaml", "yml", "json", "toml"};

inline bool is_yaml_file_name(std::string_view path) {
  const std::string ending = extension(path);
  return ending == "yaml" || ending == "yml";
}

inline bool is_data_file_name(std::string_view path) {
  return std::find(kDataEndings.begin(), kDataEndings.end(), extension(path)) != kDataEndings.end();
}

}  // namespace gpulint
