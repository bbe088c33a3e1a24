#pragma once

// The regular expressions by which loaders type plain scalars, as functions: std::regex is slow and
// recurses on long text. Internal to this room.

#include <string_view>

namespace gpulint {

/// PyYAML 6.0 resolver.py: bool, int, float of YAML 1.1.
bool is_yaml11_boolean(std::string_view text);
bool is_yaml11_integer(std::string_view text);
bool is_yaml11_float(std::string_view text);
/// OmegaConf 2.4 _yaml.py: the float pattern it adds to PyYAML's.
bool is_omegaconf_float(std::string_view text);
/// YAML 1.2.2 section 10.3.2, the core schema.
bool is_yaml12_boolean(std::string_view text);
bool is_yaml12_integer(std::string_view text);
bool is_yaml12_float(std::string_view text);
/// RFC 8259 section 6.
bool is_json_number(std::string_view text);

}  // namespace gpulint
