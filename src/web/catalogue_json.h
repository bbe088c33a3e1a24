#pragma once

#include "catalog/catalog.h"

#include <string>

namespace gpulint::web {

/// The GPUs and machines a page offers, each GPU with what it has for a run, and which of them
/// stand in the table of the common ones.
std::string catalogue_json(const Catalog& catalog);

}  // namespace gpulint::web
