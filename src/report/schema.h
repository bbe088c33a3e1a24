#pragma once

// JSON Schemas (draft-07, which editors understand best) of the files people write for gpulint.
// The strict loaders of `catalog` decide what is accepted; a schema says the same for an editor,
// and names the facts, rules and hardware this very binary knows.

#include "catalog/catalog.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Kinds of `gpulint schema`: project (.gpulint.yaml) and those of data files.
inline constexpr std::array<std::string_view, 13> kSchemaKinds{
    "project",   "rule",    "dialect",        "gpu",    "host", "model", "architecture", "fleet",
    "optimizer", "adapter", "implementation", "engine", "words"};

/// Tables of the catalogue whose schemas can be had, of the package that `kind` begins with
/// ("trl", "trl/SFTConfig").
std::vector<std::string> tables_like(std::string_view kind, const Catalog& catalog);

/// The schema as JSON text; nullopt for an unknown kind. A kind is also a table of the catalogue.
/// `operators`: what a model file may call.
std::optional<std::string> schema_text(std::string_view kind, const Catalog& catalog,
                                       std::span<const std::string> operators);

}  // namespace gpulint
