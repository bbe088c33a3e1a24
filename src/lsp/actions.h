#pragma once

#include "lsp/checks.h"
#include "lsp/client.h"
#include "lsp/documents.h"

#include <string>

namespace gpulint::lsp {

/// What can be done about the findings in a range of a document, as `textDocument/codeAction` asks:
/// the fixes of findings, each proved by linting what it makes of the texts, and suppressions; with
/// the kind `source.fixAll`, all safe fixes of the document's run. Nothing is written.
Json code_actions(Check& check, const std::string& path, const Json& params,
                  const Documents& documents, const Client& client);

/// One edit that turns a text into another: what both begin and end with is left out. None where
/// they are equal.
Json edits_between(std::string_view before, std::string_view after, Units units);

}  // namespace gpulint::lsp
