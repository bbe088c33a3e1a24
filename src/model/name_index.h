#pragma once

// The names model files go by, read once: those of the product when it is built, into the index of
// its archive, those of a user's folders when a run first names a model.

#include "catalog/model_files.h"

#include <cstddef>
#include <vector>

namespace gpulint::model {

/// A program that states its own parameter count is a model as it stands.
bool is_family(const Document& document);
/// Definitions for families to use: the files of model_db/parts/.
bool is_part(const Document& document);

/// Adds the id of the file, its further names and the architectures of a config.json it reads; a
/// part has none of them.
void add_model_names(const Document& document, std::size_t file, std::vector<ModelName>& names);

}  // namespace gpulint::model
