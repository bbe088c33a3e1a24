#pragma once

#include "catalog/dialect.h"
#include "plan/map_keys.h"

#include <cstddef>
#include <vector>

namespace gpulint {

/// Sections below `from` in which keys marked `anywhere` count, level by level, at most `most` of
/// them. Left out with all below them: sections named like a `foreign_sections` pattern of the
/// dialect (evaluation, serving, …) and the mappings in `except`. Each one's order is that of
/// `from` plus its depth, so that the shallower of two sections decides.
std::vector<Scope> sections_below(const KeyIndex& keys, const Dialect& dialect, const Scope& from,
                                  const std::vector<NodeId>& except, std::size_t most);

/// Adds the scope itself and the sections of bare keys below it.
void add_scopes(const KeyIndex& keys, const Dialect& dialect, const Scope& scope,
                std::vector<Scope>& scopes);

/// True where keys mean the same in whatever section they stand.
bool has_bare_keys(const Dialect& dialect);

}  // namespace gpulint
