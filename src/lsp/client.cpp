#include "lsp/client.h"

#include "lsp/hints.h"
#include "lsp/what_if.h"

#include <algorithm>

namespace gpulint::lsp {
namespace {

constexpr int kIncremental = 2;

bool can(const Json& capabilities, JsonPath path) {
  return flag_at(capabilities, path).value_or(false);
}

}  // namespace

Client client_from(const Json& initialize_params) {
  static const Json kNone = Json::object();
  const Json* stated = member(initialize_params, {"capabilities"});
  const Json& able = stated == nullptr ? kNone : *stated;
  Client client;
  client.units = agreed_units(able);
  client.related_information =
      can(able, {"textDocument", "publishDiagnostics", "relatedInformation"});
  client.watches_on_request =
      can(able, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  client.has_configuration = can(able, {"workspace", "configuration"});
  client.document_changes = can(able, {"workspace", "workspaceEdit", "documentChanges"});
  const Json& formats = items_at(able, {"textDocument", "hover", "contentFormat"});
  client.markdown = std::find(formats.begin(), formats.end(), "markdown") != formats.end();
  client.refreshes_hints = can(able, {"workspace", "inlayHint", "refreshSupport"});
  client.refreshes_lenses = can(able, {"workspace", "codeLens", "refreshSupport"});
  client.refreshes_diagnostics = can(able, {"workspace", "diagnostics", "refreshSupport"});
  client.pulls = text_at(initialize_params, {"initializationOptions", "diagnostics"}) == "pull";
  client.shows_results = can(initialize_params, {"initializationOptions", "showsResults"});
  return client;
}

Json server_capabilities(const Client& client) {
  const Json sync{
      {"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}};
  Json can{
      {"positionEncoding", name_of(client.units)},
      {"textDocumentSync", sync},
      {"hoverProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll.gpulint"}}}},
      {"completionProvider", {{"triggerCharacters", {":", " ", "\"", "."}}}},
      {"inlayHintProvider", true},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"definitionProvider", true},
      {"documentLinkProvider", {{"resolveProvider", false}}},
      {"executeCommandProvider",
       {{"commands", {kEstimateCommand, kFitCommand, kDiffCommand, kWhatIfCommand}}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
  if (client.pulls) {
    can["diagnosticProvider"] = {
        {"identifier", "gpulint"}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}};
  }
  return can;
}

}  // namespace gpulint::lsp
