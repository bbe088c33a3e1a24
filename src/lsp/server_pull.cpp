// Diagnostics that a client asks for, of a document or of the whole workspace.

#include "lsp/diagnostics.h"
#include "lsp/server.h"
#include "lsp/uri.h"

#include <fmt/format.h>

namespace gpulint::lsp {
namespace {

/// The same list has the same id (FNV-1a).
std::string result_id(const Json& diagnostics) {
  std::uint64_t state = 0xcbf29ce484222325U;
  for (const char c : to_text(diagnostics)) {
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", state);
}

/// `known`: the id of what the client was given last.
Json report_on(const Json& diagnostics, const std::optional<std::string>& known) {
  const std::string id = result_id(diagnostics);
  if (known == id) return {{"kind", "unchanged"}, {"resultId", id}};
  return {{"kind", "full"}, {"resultId", id}, {"items", diagnostics}};
}

}  // namespace

Answer Server::document_diagnostic(const Json& params) {
  const OpenDocument* document = open_document(params);
  const auto known = text_at(params, {"previousResultId"});
  if (settled(document) == nullptr) return report_on(Json::array(), known);
  return report_on(Publisher::diagnostics(document->path, checks_), known);
}

/// Clients ask again every few seconds. An edit does not make the whole workspace be judged anew:
/// what is open is taken as it was judged last, closed files follow when something is saved. Files
/// that were reported before and have nothing now are reported as having nothing.
Answer Server::workspace_diagnostic(const Json& params) {
  if (!workspace_) workspace_ = workspace_diagnostics();
  std::map<std::string, Json> by_path = *workspace_;
  for (const auto& [path, document] : documents_.all()) {
    if (checks_.of(path) != nullptr) by_path[path] = Publisher::diagnostics(path, checks_);
  }
  std::map<std::string, std::string> known;
  for (const Json& previous : items_at(params, {"previousResultIds"})) {
    const auto uri = text_at(previous, {"uri"});
    const auto path = uri ? path_of_uri(*uri) : std::nullopt;
    if (!path) continue;
    known.emplace(*path, text_at(previous, {"value"}).value_or(""));
    by_path.emplace(*path, Json::array());
  }
  Json items = Json::array();
  for (const auto& [path, diagnostics] : by_path) {
    const auto before = known.find(path);
    if (before == known.end() && diagnostics.empty()) continue;
    Json item =
        report_on(diagnostics, before == known.end() ? std::nullopt
                                                     : std::optional<std::string>(before->second));
    item["uri"] = documents_.uri_of(path);
    const OpenDocument* document = documents_.find(path);
    item["version"] = document == nullptr ? Json() : Json(document->version);
    items.push_back(std::move(item));
  }
  return Json{{"items", std::move(items)}};
}

/// As `gpulint check` finds it in every folder, over what the client holds unsaved.
std::map<std::string, Json> Server::workspace_diagnostics() {
  std::map<std::string, Json> by_path;
  for (const std::string& folder : projects_.folders()) {
    const auto session = projects_.session(folder);
    if (!session) continue;
    const SessionView view = (*session)->now();
    const auto today = options_.today ? options_.today() : std::nullopt;
    const LintResult result = lint(view, request_of(settings_of(folder), {folder}, today));
    by_path.merge(diagnostics_of(result, view, documents_,
                                 {.units = client_.units, .related = client_.related_information}));
  }
  return by_path;
}

}  // namespace gpulint::lsp
