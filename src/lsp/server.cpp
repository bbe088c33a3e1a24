#include "lsp/server.h"

#include "lsp/uri.h"
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint::lsp {
namespace {

constexpr int kWarningMessage = 2;
constexpr std::string_view kConfiguration = "workspace/configuration";

/// The folders of a workspace, in either of the spellings of the protocol.
std::vector<std::string> folders_of(const Json& params) {
  std::vector<std::string> folders;
  const auto add = [&](const std::optional<std::string>& uri) {
    const auto path = uri ? path_of_uri(*uri) : std::nullopt;
    if (path) folders.push_back(*path);
  };
  for (const Json& folder : items_at(params, {"workspaceFolders"})) add(text_at(folder, {"uri"}));
  if (folders.empty()) add(text_at(params, {"rootUri"}));
  return folders;
}

/// What a change of these may change: configs, what they refer to, and the code that loads them.
Json watchers() {
  Json list = Json::array();
  for (const char* pattern :
       {"**/*.{yaml,yml,json,toml,env,py,sh,bash,sbatch,slurm,pbs,md}", "**/.gpulint/**",
        "**/.gpulint.yaml", "**/.gpulint.yml", "**/pyproject.toml", "**/.gitignore"}) {
    list.push_back({{"globPattern", pattern}});
  }
  return list;
}

}  // namespace

Server::Server(const FileReader& disk, ServerOptions options)
    : disk_(disk),
      options_(std::move(options)),
      projects_(disk_, options_.data_folder),
      checks_(
          projects_, documents_,
          [this](const std::string& root) -> const Settings& { return settings_of(root); },
          [this] { return options_.today ? options_.today() : std::nullopt; }) {}

std::vector<Json> Server::handle(const Message& message) {
  switch (message.kind) {
    case Message::Kind::request: {
      Answer given = answer(message);
      if (const auto* error = std::get_if<RpcError>(&given)) {
        out_.push_back(error_response(message.id, *error));
      } else {
        out_.push_back(response(message.id, std::get<Json>(std::move(given))));
      }
      break;
    }
    case Message::Kind::notification:
      hear(message);
      break;
    case Message::Kind::response:
      hear_response(message);
      break;
  }
  return std::exchange(out_, {});
}

std::vector<Json> Server::work() {
  if (auto outcome = checks_.settle()) show(std::move(*outcome));
  return std::exchange(out_, {});
}

Answer Server::answer(const Message& message) {
  static constexpr std::array<RequestEntry, 12> kRequests{
      {{"initialize", &Server::initialize},
       {"shutdown", &Server::shut_down},
       {"textDocument/hover", &Server::hover},
       {"textDocument/codeAction", &Server::code_action},
       {"textDocument/completion", &Server::completion},
       {"textDocument/inlayHint", &Server::inlay_hint},
       {"textDocument/codeLens", &Server::code_lens},
       {"textDocument/definition", &Server::definition},
       {"textDocument/documentLink", &Server::document_link},
       {"textDocument/diagnostic", &Server::document_diagnostic},
       {"workspace/diagnostic", &Server::workspace_diagnostic},
       {"workspace/executeCommand", &Server::execute_command}}};
  if (message.cancelled) return RpcError{kRequestCancelled, "cancelled"};
  if (state_ == State::down) {
    return RpcError{kInvalidRequest, "the server was shut down; only exit may follow"};
  }
  if (state_ == State::fresh && message.method != "initialize") {
    return RpcError{kNotInitialized, "the first request is initialize"};
  }
  const auto known = std::find_if(kRequests.begin(), kRequests.end(), [&](const auto& entry) {
    return entry.method == message.method;
  });
  if (known == kRequests.end()) {
    return RpcError{kMethodNotFound,
                    fmt::format("there is no request \"{}\"", escape_for_display(message.method))};
  }
  return (this->*known->handler)(message.params);
}

void Server::hear(const Message& message) {
  static constexpr std::array<NotificationEntry, 8> kNotifications{
      {{"initialized", &Server::initialized},
       {"textDocument/didOpen", &Server::did_open},
       {"textDocument/didChange", &Server::did_change},
       {"textDocument/didSave", &Server::did_save},
       {"textDocument/didClose", &Server::did_close},
       {"workspace/didChangeWatchedFiles", &Server::files_changed},
       {"workspace/didChangeWorkspaceFolders", &Server::folders_changed},
       {"workspace/didChangeConfiguration", &Server::configuration_changed}}};
  if (message.method == "exit") return exit(message.params);
  if (state_ != State::running) return;
  if (message.method != "textDocument/didChange") {
    disk_.forget();
    workspace_.reset();
  }
  for (const NotificationEntry& entry : kNotifications) {
    if (entry.method == message.method) return (this->*entry.handler)(message.params);
  }
}

/// The only answers that count are the settings that were asked for.
void Server::hear_response(const Message& message) {
  const bool is_asked =
      message.id.is_number_integer() && asked_.erase(message.id.get<std::int64_t>()) != 0;
  if (!is_asked || !message.params.is_array() || message.params.empty()) return;
  workspace_.reset();
  use_settings(message.params.front());
}

Answer Server::initialize(const Json& params) {
  if (state_ != State::fresh) return RpcError{kInvalidRequest, "initialize came twice"};
  client_ = client_from(params);
  for (const std::string& folder : folders_of(params)) projects_.add_folder(folder);
  state_ = State::running;
  if (const Json* options = member(params, {"initializationOptions"})) raw_settings_ = *options;
  return Json{{"capabilities", server_capabilities(client_)},
              {"serverInfo", {{"name", "gpulint"}, {"version", kVersion}}}};
}

Answer Server::shut_down(const Json& /*params*/) {
  state_ = State::down;
  return Json();
}

void Server::exit(const Json& /*params*/) { exit_code_ = state_ == State::down ? 0 : 1; }

void Server::initialized(const Json& /*params*/) {
  if (client_.watches_on_request) {
    ask("client/registerCapability",
        {{"registrations", Json::array({{{"id", "gpulint-files"},
                                         {"method", "workspace/didChangeWatchedFiles"},
                                         {"registerOptions", {{"watchers", watchers()}}}}})}});
  }
  use_settings(raw_settings_);
  if (client_.has_configuration) configuration_changed(Json::object());
}

/// Answers that nobody reads are not waited for: a client may leave them out.
void Server::ask(std::string_view method, Json params) {
  if (method == kConfiguration) asked_.insert(next_id_);
  out_.push_back(request(next_id_++, method, std::move(params)));
}

void Server::tell(std::string_view method, Json params) {
  out_.push_back(notification(method, std::move(params)));
}

/// Once: what is wrong with a setting is wrong with it for every folder.
void Server::warn(const std::string& text) {
  if (!warned_.insert(text).second) return;
  tell("window/showMessage", {{"type", kWarningMessage}, {"message", "gpulint: " + text}});
}

}  // namespace gpulint::lsp
