#pragma once

#include "plan/map_keys.h"
#include "plan/run.h"

#include <span>
#include <string_view>

namespace gpulint {

/// nullptr: none of that name.
const Dialect* find_dialect(std::span<const Dialect> dialects, std::string_view id);
/// What a config's dialect says of files of another; nullptr: nothing.
const Companion* terms_of(const Dialect& dialect, std::string_view companion);

/// Where names in a config are looked up: relative to the file `from`.
struct ReferencePlace {
  const RunFiles& files;
  const std::string& root;
  std::string from;
};

/// Whether a key of the recognised dialect names the file; another key may be the project's own.
bool own_key_names(const std::string& path, const Recognition& recognition, const KeyIndex& keys,
                   const ReferencePlace& place);

/// Takes from a companion what the text that names it states, or leaves open, itself: `stated` are
/// the states of that text's facts.
void yield_to(std::span<const FactState> stated, Mapping& companion);

/// Adds what a companion states to what the config itself says: it fills what is unknown, beats the
/// config where its terms say so, and is an observation where the framework refuses to start on the
/// two together. A key the config speaks of in a way nobody understands stays unknown. `document`:
/// the config.
void join_companion(Mapping& config, Mapping companion, const CompanionDocument& joined,
                    const Document& document);

}  // namespace gpulint
