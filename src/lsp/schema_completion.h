#pragma once

#include "catalog/catalog.h"
#include "lsp/json.h"
#include "lsp/syntax.h"

namespace gpulint::lsp {

/// Keys and words of a `.gpulint.yaml`, as its JSON Schema lists them.
Json project_completions(const Catalog& catalog, const TypedPlace& place, const Json& range);

}  // namespace gpulint::lsp
