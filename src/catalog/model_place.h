#pragma once

#include "base/result.h"
#include "catalog/model_files.h"

#include <optional>

namespace gpulint {

/// What a file of model_db holds decides where it lies, so that a name leads to its file: a program
/// of several models in families/, or in recorded/<library>/ when a tool wrote it, a model of a
/// family in models/<family>/, definitions that families share in parts/. The Error says where to
/// move a file that lies elsewhere. nullopt for every other file.
std::optional<Error> misplaced_model(const DataFile& file);

}  // namespace gpulint
