#pragma once

// Canonical values in the words of a config. Words are proposed from the dialect's value maps read
// backwards, and kept only when the dialect, reading them forward, finds the wanted value and no
// other fact changes: so nothing is written that would be read as something else.

#include "base/result.h"
#include "catalog/dialect.h"
#include "engine/engine.h"
#include "source/document.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// A canonical value that a fact is to have.
struct WantedFact {
  std::string fact;
  std::string value;  // canonical text
};

/// The value that is written now, or that of a neighbour whose style a new one follows.
struct WrittenValue {
  std::string_view text;  // without quotes
  Quoting quoting = Quoting::plain;
  Format format = Format::yaml;
};

/// What is to be written, quotes included, and the canonical value it will be read as
/// (`enabled` where a switch stands for half precision of either kind).
struct Spelled {
  std::string text;
  std::string read_as;
};

/// `wanted` in the style of `now`, for a key at `path` (names from the root). `replaces`: `now` is
/// the value of this very key.
Result<Spelled> spell(const Subject& subject, const std::vector<std::string>& path,
                      const WantedFact& wanted, const WrittenValue& now, bool replaces);

/// Canonical value that a key's text is read as by one mapping; nullopt when it says nothing
/// certain, "absent" when it counts as no key.
std::optional<std::string> read_forward(const Subject& subject, const KeyMapping& mapping,
                                        std::string_view written, Format format);

/// A number as this config writes numbers: grouping and exponent as in `like`, and never a form
/// that some YAML loader takes for text (PyYAML takes 2e-05 for a word and 2.0e-05 for a number).
std::string number_like(std::string_view like, double value, bool whole);

}  // namespace gpulint
