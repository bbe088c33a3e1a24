#pragma once

// The language server without its streams: messages in, messages out. It computes nothing of its
// own: what it shows comes from lint(), the searches and the reports. It writes no file.
//
//   Server server(disk, {});
//   for (const Json& out : server.handle(message)) send(out);
//   while (server.has_work()) for (const Json& out : server.work()) send(out);
//
// Edits are not judged when they arrive but by work(), which a loop calls when no message waits: a
// burst of edits is judged once. A request that needs the verdict on a document gets it judged
// first. Files are looked at anew after every notification but an edit: what an editor knows of the
// disk it says by opening, saving and closing, and by `didChangeWatchedFiles`.
// Not thread-safe; one thread owns it.

#include "lsp/checks.h"
#include "lsp/client.h"
#include "lsp/documents.h"
#include "lsp/message.h"
#include "lsp/model_names.h"
#include "lsp/projects.h"
#include "lsp/publisher.h"
#include "lsp/remembered_files.h"
#include "lsp/settings.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulint::lsp {

struct ServerOptions {
  std::optional<std::string> data_folder = {};  // as SessionOptions has it
  /// Decides which suppressions have ended; unset: none has.
  std::function<std::optional<Date>()> today = {};
  /// What the runs of the file at `path` become against the last commit, as text for people. Unset:
  /// nobody is offered it. The server itself starts no process.
  std::function<Result<std::string>(const SessionView& session, const LintRequest& request,
                                    const std::string& path)>
      diff_to_head = {};
};

class Server {
 public:
  /// `disk` must outlive this.
  Server(const FileReader& disk, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What to send in answer, in order.
  std::vector<Json> handle(const Message& message);
  /// Something that was edited has not been judged.
  bool has_work() const { return state_ == State::running && checks_.is_pending(); }
  /// Judges one group of documents that belong together.
  std::vector<Json> work();
  /// Set once the client has said `exit`.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  enum class State : std::uint8_t { fresh, running, down };
  using RequestHandler = Answer (Server::*)(const Json& params);
  using NotificationHandler = void (Server::*)(const Json& params);
  struct RequestEntry {
    std::string_view method;
    RequestHandler handler;
  };
  struct NotificationEntry {
    std::string_view method;
    NotificationHandler handler;
  };

  // server.cpp
  Answer answer(const Message& message);
  void hear(const Message& message);
  void hear_response(const Message& message);
  Answer initialize(const Json& params);
  Answer shut_down(const Json& params);
  void initialized(const Json& params);
  void exit(const Json& params);
  void ask(std::string_view method, Json params);
  void tell(std::string_view method, Json params);
  void warn(const std::string& text);

  // server_documents.cpp
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_save(const Json& params);
  void did_close(const Json& params);
  void files_changed(const Json& params);
  void folders_changed(const Json& params);
  void configuration_changed(const Json& params);
  void take_buffer(OpenDocument document);
  void data_may_have_changed(const std::string& path);
  void use_settings(const Json& value);
  const Settings& settings_of(const std::string& root);
  void show(Checks::Outcome outcome);
  void publish(const std::set<std::string>& paths);
  void publish_data_errors();
  void refresh_views();
  OpenDocument* open_document(const Json& params);

  // server_features.cpp
  Check* settled(const OpenDocument* document);
  std::uint32_t offset_in(const OpenDocument& document, const Json& params) const;
  Answer hover(const Json& params);
  Answer code_action(const Json& params);
  Answer completion(const Json& params);
  Answer inlay_hint(const Json& params);
  Answer code_lens(const Json& params);
  Answer definition(const Json& params);
  Answer document_link(const Json& params);
  Answer execute_command(const Json& params);
  bool offers_diff(const std::string& path) const;

  // server_pull.cpp
  Answer document_diagnostic(const Json& params);
  Answer workspace_diagnostic(const Json& params);
  std::map<std::string, Json> workspace_diagnostics();

  RememberedFiles disk_;
  ServerOptions options_;
  State state_ = State::fresh;
  std::optional<int> exit_code_;
  Client client_;
  Json raw_settings_ = Json::object();
  std::map<std::string, Settings> settings_;  // by root
  std::set<std::string> warned_;
  Documents documents_;
  Projects projects_;
  Checks checks_;
  Publisher publisher_;
  ModelNames models_;
  /// What the workspace was found to hold when it was last asked for; empty after any change but an
  /// edit.
  std::optional<std::map<std::string, Json>> workspace_;
  std::int64_t next_id_ = 1;
  std::set<std::int64_t> asked_;  // for settings: ids of requests to the client
  std::vector<Json> out_;
};

}  // namespace gpulint::lsp
