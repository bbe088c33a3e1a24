#pragma once

#include "lsp/json.h"
#include "lsp/positions.h"

namespace gpulint::lsp {

/// What the client said it can do.
struct Client {
  Units units = Units::utf16;
  bool related_information = false;
  bool watches_on_request = false;  // of files, by registration
  bool has_configuration = false;   // answers workspace/configuration
  bool document_changes = false;    // edits that name versions
  bool markdown = false;            // in hovers
  bool refreshes_hints = false;
  bool refreshes_lenses = false;
  bool refreshes_diagnostics = false;
  /// It asks for diagnostics (initializationOptions.diagnostics: "pull"); nothing is pushed then.
  bool pulls = false;
  /// It shows the results of commands itself (initializationOptions.showsResults).
  bool shows_results = false;
};

Client client_from(const Json& initialize_params);

/// What the server says of itself.
Json server_capabilities(const Client& client);

}  // namespace gpulint::lsp
