#pragma once

#include "lsp/checks.h"
#include "lsp/documents.h"
#include "lsp/positions.h"

#include <cstdint>
#include <string>

namespace gpulint::lsp {

/// Where a value leads: the file of the run that it names (a base, an option of a Hydra group, a
/// DeepSpeed file), the key that `${…}` refers to, the value of another file that counts instead,
/// the class of the project that a dotted name means, or the calls of the project that take the
/// value. null where it leads nowhere.
Json definition_at(Check& check, const std::string& path, std::uint32_t offset,
                   const Documents& documents, Units units);

/// Every value of a document that names a file of its run.
Json document_links(Check& check, const std::string& path, const Documents& documents, Units units);

}  // namespace gpulint::lsp
