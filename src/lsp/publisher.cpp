#include "lsp/publisher.h"

#include "lsp/message.h"

#include <algorithm>
#include <utility>

namespace gpulint::lsp {
namespace {

/// Two runs that share a file say the same of it.
void add_new(Json& list, const Json& more) {
  for (const Json& each : more) {
    if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
  }
}

}  // namespace

Json Publisher::diagnostics(const std::string& path, const Checks& checks) {
  Json list = Json::array();
  for (const std::unique_ptr<Check>& check : checks.all()) {
    const auto found = check->diagnostics.find(path);
    if (found != check->diagnostics.end()) add_new(list, found->second);
  }
  return list;
}

std::vector<Publisher::Publication> Publisher::publish(const std::set<std::string>& paths,
                                                       const Checks& checks,
                                                       const Documents& documents) {
  std::vector<Publication> messages;
  for (const std::string& path : paths) {
    Told now{.diagnostics = diagnostics(path, checks)};
    if (const auto found = others_.find(path); found != others_.end()) {
      add_new(now.diagnostics, found->second);
    }
    const OpenDocument* document = documents.find(path);
    if (document != nullptr) now.version = document->version;
    Told& told = told_[path];
    if (told.diagnostics == now.diagnostics && told.version == now.version) {
      if (document == nullptr && now.diagnostics.empty()) told_.erase(path);
      continue;
    }
    Json params{{"uri", documents.uri_of(path)}, {"diagnostics", now.diagnostics}};
    if (now.version) params["version"] = *now.version;
    messages.push_back(
        {.message = notification("textDocument/publishDiagnostics", std::move(params)),
         .edited = document != nullptr && told.version != now.version});
    told = std::move(now);
    if (document == nullptr && told.diagnostics.empty()) told_.erase(path);
  }
  return messages;
}

std::set<std::string> Publisher::set_others(std::map<std::string, Json> others) {
  std::set<std::string> paths;
  for (const auto& [path, list] : others_) paths.insert(path);
  for (const auto& [path, list] : others) paths.insert(path);
  others_ = std::move(others);
  return paths;
}

}  // namespace gpulint::lsp
