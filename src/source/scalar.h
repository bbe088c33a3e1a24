#pragma once

#include "source/document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gpulint {

/// How the loader of a file types plain scalars.
/// yaml11: PyYAML's safe_load (1e-4 is a string, 1_000 an int, yes/no/on/off booleans, 012 octal,
/// 1:30 sexagesimal). yaml12: YAML 1.2 core (1e-4 a float, 1_000 a string, only true/false
/// booleans, 0o14 octal). omegaconf: PyYAML with OmegaConf's float resolver (1e-4 a float, 1_000 an
/// int, yes/no booleans). json: JSON's own types. env: everything is text; true/false/1/0 are read
/// by whoever asks for a boolean.
enum class ScalarSchema : std::uint8_t { yaml11, yaml12, omegaconf, json, env };

struct Null {
  friend bool operator==(Null, Null) = default;
};
using ScalarValue = std::variant<Null, bool, std::int64_t, double, std::string>;

/// Type of a scalar node under `schema`; quoted scalars are strings,
/// `!!float`/`!!int`/`!!str`/`!!bool`/`!!null` tags are obeyed, other tags leave the text a string.
ScalarValue interpret(const Document& document, NodeId id, ScalarSchema schema);
/// The same for plain text that has no node (an environment value, a resolved reference).
ScalarValue interpret_plain(std::string_view text, ScalarSchema schema);

/// Nothing, `~` or a spelling of null: what YAML 1.1 and 1.2 alike read as null when it is plain.
bool is_yaml_null(std::string_view text);
/// A number whichever spelling it has ("1e-4", "2_000", ".5", "5e8", quoted too): what a person
/// meant. NaN, infinities and trailing text give nullopt.
std::optional<double> lenient_number(std::string_view text);
/// The same number however it is written, else the same text in any case.
bool is_same_plain_value(std::string_view a, std::string_view b);
/// true/false/yes/no/on/off/1/0 in any case.
std::optional<bool> lenient_boolean(std::string_view text);
/// "230 MB", "62GB", "147 MiB", "80 GiB", "512" (no unit) -> bytes and whether a unit was written.
struct ParsedBytes {
  double bytes = 0;
  bool had_unit = false;
};
std::optional<ParsedBytes> parse_bytes(std::string_view text);

/// True when PyYAML reads this plain scalar as a string although YAML 1.2 reads a number ("2e-5",
/// "5e8").
bool is_number_only_in_yaml12(const Document& document, NodeId id);

}  // namespace gpulint
