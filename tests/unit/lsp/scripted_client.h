#pragma once

// A client that speaks to a Server without streams: what it sends is text as it would arrive, what
// comes back is kept.

#include "lsp/server.h"
#include "lsp/uri.h"
#include "unit/lint/memory_reader.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::lsp {

/// Files that a test changes while a server looks at them.
class EditedDisk : public FileReader {
 public:
  explicit EditedDisk(MemoryReader::Files files) : files_(std::move(files)) {}

  MemoryReader::Files& files() { return files_; }

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    return now().read(path, limit);
  }
  FileKind kind(const std::string& path) const override { return now().kind(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& folder) const override {
    return now().list(folder);
  }
  std::string canonical(const std::string& path) const override { return now().canonical(path); }

 private:
  MemoryReader now() const { return MemoryReader(files_); }
  MemoryReader::Files files_;
};

class ScriptedClient {
 public:
  explicit ScriptedClient(MemoryReader::Files files = {}, ServerOptions options = {})
      : disk(std::move(files)), server(disk, std::move(options)) {}

  EditedDisk disk;
  Server server;
  std::vector<Json> sent;                      // all that the server sent
  std::map<std::string, Json> diagnostics;     // the latest, by path
  std::map<std::string, int> times_published;  // by path

  Json start(Json capabilities = Json::object(), Json options = Json::object(),
             std::vector<std::string> folders = {"/p"}) {
    Json list = Json::array();
    for (const std::string& folder : folders) list.push_back({{"uri", "file://" + folder}});
    Json result = request("initialize", {{"capabilities", std::move(capabilities)},
                                         {"initializationOptions", std::move(options)},
                                         {"workspaceFolders", std::move(list)}});
    notify("initialized", Json::object());
    return result;
  }

  /// The result; a test that expects an error uses answer().
  Json request(std::string_view method, Json params) {
    const Json reply = answer(method, std::move(params));
    REQUIRE_MESSAGE(reply.contains("result"), to_text(reply));
    return reply["result"];
  }

  Json answer(std::string_view method, Json params) {
    const std::int64_t id = ++last_id_;
    receive(server.handle(read(lsp::request(id, method, std::move(params)))));
    REQUIRE(!sent.empty());
    REQUIRE(sent.back()["id"] == id);
    return sent.back();
  }

  void notify(std::string_view method, Json params) {
    receive(server.handle(read(notification(method, std::move(params)))));
  }

  /// Lets the server judge what waits.
  void settle() {
    while (server.has_work()) receive(server.work());
  }

  void open(const std::string& path, const std::string& text, int version = 1) {
    notify("textDocument/didOpen", {{"textDocument",
                                     {{"uri", uri_of_path(path)},
                                      {"languageId", "yaml"},
                                      {"version", version},
                                      {"text", text}}}});
  }
  void change(const std::string& path, Json changes, int version) {
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", uri_of_path(path)}, {"version", version}}},
            {"contentChanges", std::move(changes)}});
  }
  void replace(const std::string& path, const std::string& text, int version) {
    change(path, Json::array({{{"text", text}}}), version);
  }
  void close(const std::string& path) {
    notify("textDocument/didClose", {{"textDocument", {{"uri", uri_of_path(path)}}}});
  }

  /// "line:character rule" of every diagnostic of a file.
  std::vector<std::string> rules(const std::string& path) const {
    std::vector<std::string> lines;
    const auto found = diagnostics.find(path);
    if (found == diagnostics.end()) return lines;
    for (const Json& each : found->second) {
      const Json& start = each["range"]["start"];
      lines.push_back(to_text(start["line"]) + ":" + to_text(start["character"]) + " " +
                      each.value("code", each["message"].get<std::string>()));
    }
    return lines;
  }

 private:
  static Message read(const Json& message) {
    auto result = read_message({.body = to_text(message)});
    REQUIRE(std::holds_alternative<Message>(result));
    return std::get<Message>(std::move(result));
  }

  void receive(std::vector<Json> messages) {
    for (Json& message : messages) {
      if (message.value("method", "") == "textDocument/publishDiagnostics") {
        const auto path = path_of_uri(message["params"]["uri"].get<std::string>());
        REQUIRE(path);
        diagnostics[*path] = message["params"]["diagnostics"];
        ++times_published[*path];
      }
      sent.push_back(std::move(message));
    }
  }

  std::int64_t last_id_ = 0;
};

using Lines = std::vector<std::string>;

}  // namespace gpulint::lsp
