// Documents, files and settings: what a client tells the server, and the diagnostics it is told.

#include "base/text.h"
#include "catalog/catalog.h"
#include "lint/buffers.h"
#include "lsp/diagnostics.h"
#include "lsp/server.h"
#include "lsp/uri.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::lsp {
namespace {

constexpr std::string_view kDataFolder = "/.gpulint/";

std::optional<std::string> path_in(const Json& params, JsonPath place) {
  const auto uri = text_at(params, place);
  return uri ? path_of_uri(*uri) : std::nullopt;
}

}  // namespace

OpenDocument* Server::open_document(const Json& params) {
  const auto path = path_in(params, {"textDocument", "uri"});
  return path ? documents_.find(*path) : nullptr;
}

/// The document and the sessions hold the text from now on.
void Server::take_buffer(OpenDocument document) {
  const std::string path = document.path;
  projects_.set_buffer(path, document.text, document.version);
  documents_.open(std::move(document));
  data_may_have_changed(path);
  checks_.mark(path);
}

void Server::did_open(const Json& params) {
  auto path = path_in(params, {"textDocument", "uri"});
  auto text = text_at(params, {"textDocument", "text"});
  if (!path || !text) return;
  projects_.close_buffer(*path);  // versions begin anew
  take_buffer({.uri = *text_at(params, {"textDocument", "uri"}),
               .path = *path,
               .real = real_path(disk_, *path),
               .text = std::move(*text),
               .version = integer_at(params, {"textDocument", "version"}).value_or(0)});
}

void Server::did_change(const Json& params) {
  OpenDocument* known = open_document(params);
  if (known == nullptr) return;
  OpenDocument document = std::move(*known);
  document.version = integer_at(params, {"textDocument", "version"}).value_or(document.version + 1);
  for (const Json& change : items_at(params, {"contentChanges"})) {
    if (!apply_change(document.text, change, client_.units)) {
      warn(fmt::format("an edit of {} cannot be read; close and open the file",
                       escape_for_display(document.path)));
    }
  }
  take_buffer(std::move(document));
}

/// A save looks at the disk again. Code and scripts count for all that is open: which configs they
/// touch is not known.
void Server::did_save(const Json& params) {
  const OpenDocument* document = open_document(params);
  if (document == nullptr) return;
  const Check* check = checks_.of(document->path);
  const bool is_config =
      check != nullptr &&
      std::any_of(check->result.files.begin(), check->result.files.end(), [&](const auto& file) {
        return file.path == document->path && file.state == FileState::linted;
      });
  if (!is_config) checks_.mark_all();
  checks_.mark(document->path);
}

void Server::did_close(const Json& params) {
  const OpenDocument* known = open_document(params);
  if (known == nullptr) return;
  const OpenDocument document = *known;
  projects_.close_buffer(document.path);
  documents_.close(document.path);
  checks_.forget(document);
  data_may_have_changed(document.path);
  std::set<std::string> paths{document.path};
  for (const std::unique_ptr<Check>& gone : checks_.take_orphans()) {
    for (const auto& [path, list] : gone->diagnostics) paths.insert(path);
  }
  publish(paths);
  std::vector<std::string> used;
  for (const auto& [path, open] : documents_.all()) used.push_back(projects_.root_of(path));
  projects_.keep_only(used);
}

/// Files of `.gpulint/` are read by the sessions, `.gpulint.yaml` by every request.
void Server::data_may_have_changed(const std::string& path) {
  if (path.find(kDataFolder) != std::string::npos) {
    if (!projects_.refresh()) return;
    settings_.clear();
    publish_data_errors();
    checks_.mark_all();
  } else if (is_project_file(file_name(path)) || file_name(path) == "pyproject.toml") {
    checks_.mark_all();
  }
}

void Server::files_changed(const Json& params) {
  bool any = false;
  for (const Json& change : items_at(params, {"changes"})) {
    const auto path = path_in(change, {"uri"});
    // What is open counts as the client holds it, whatever becomes of the file.
    if (!path || documents_.find(*path) != nullptr) continue;
    data_may_have_changed(*path);
    any = true;
  }
  if (!any) return;
  checks_.mark_all();
  refresh_views();
}

void Server::folders_changed(const Json& params) {
  for (const Json& folder : items_at(params, {"event", "removed"})) {
    if (const auto path = path_in(folder, {"uri"})) projects_.remove_folder(*path);
  }
  for (const Json& folder : items_at(params, {"event", "added"})) {
    if (const auto path = path_in(folder, {"uri"})) projects_.add_folder(*path);
  }
  publish_data_errors();
  checks_.mark_all();
}

/// Clients that answer questions are asked; others send the settings along.
void Server::configuration_changed(const Json& params) {
  if (client_.has_configuration) {
    return ask("workspace/configuration", {{"items", Json::array({{{"section", "gpulint"}}})}});
  }
  if (const Json* settings = member(params, {"settings", "gpulint"})) use_settings(*settings);
}

/// null: the client has none of its own, and what it began with stays.
void Server::use_settings(const Json& value) {
  if (value.is_object()) raw_settings_ = value;
  settings_.clear();
  warned_.clear();
  for (const std::string& folder : projects_.folders()) settings_of(folder);
  publish_data_errors();
  checks_.mark_all();
  refresh_views();
}

/// GPUs and hosts are those of the folder's own catalog.
const Settings& Server::settings_of(const std::string& root) {
  if (const auto known = settings_.find(root); known != settings_.end()) return known->second;
  Settings settings;
  if (const auto session = projects_.session(root)) {
    std::vector<std::string> refused;
    settings = settings_from(raw_settings_, (*session)->now().catalog(), refused);
    for (const std::string& text : refused) warn(text);
  }
  return settings_.emplace(root, std::move(settings)).first->second;
}

void Server::show(Checks::Outcome outcome) {
  if (outcome.error) return warn(outcome.error->to_string());
  std::set<std::string> paths;
  for (const std::unique_ptr<Check>& gone : outcome.gone) {
    for (const auto& [path, list] : gone->diagnostics) paths.insert(path);
  }
  if (Check* made = outcome.made) {
    made->diagnostics =
        diagnostics_of(made->result, made->view, documents_,
                       {.units = client_.units, .related = client_.related_information});
    // A file that is open under two names is judged under one of them.
    for (const std::string& path : made->paths) made->diagnostics.emplace(path, Json::array());
    for (const auto& [path, list] : made->diagnostics) paths.insert(path);
  }
  publish(paths);
}

void Server::publish(const std::set<std::string>& paths) {
  bool elsewhere = false;
  for (auto& publication : publisher_.publish(paths, checks_, documents_)) {
    elsewhere = elsewhere || !publication.edited;
    if (!client_.pulls) out_.push_back(std::move(publication.message));
  }
  // A client that asks does so for what it edits; it has to be told of the rest.
  if (client_.pulls && client_.refreshes_diagnostics && elsewhere) {
    ask("workspace/diagnostic/refresh", nullptr);
  }
}

/// Hints and lenses depend on more than the text they stand in.
void Server::refresh_views() {
  if (client_.refreshes_hints) ask("workspace/inlayHint/refresh", nullptr);
  if (client_.refreshes_lenses) ask("workspace/codeLens/refresh", nullptr);
}

/// What is wrong with the files of data folders, which no request reads.
void Server::publish_data_errors() {
  std::map<std::string, Json> by_path;
  for (const Error& error : projects_.errors()) {
    if (error.file.empty()) {
      warn(error.to_string());
      continue;
    }
    Json& list = by_path.emplace(error.file, Json::array()).first->second;
    add_diagnostics(list, error, disk_, client_.units);
  }
  publish(publisher_.set_others(std::move(by_path)));
}

}  // namespace gpulint::lsp
