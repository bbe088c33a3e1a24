#include "unit/lsp/scripted_client.h"

namespace lsp_server_test {

using namespace gpulint;
using namespace gpulint::lsp;

namespace {

const std::string kLoader = "per_device_batch_size: 8\nnum_workers: 0\n";

Json position(int line, int character) { return {{"line", line}, {"character", character}}; }

Json edit_of(int line, int from, int to, const std::string& text) {
  return Json::array({{{"range", {{"start", position(line, from)}, {"end", position(line, to)}}},
                       {"text", text}}});
}

const Json* last_message(const ScriptedClient& client, std::string_view method) {
  const Json* found = nullptr;
  for (const Json& each : client.sent) {
    if (each.value("method", "") == method) found = &each;
  }
  return found;
}

}  // namespace

TEST_CASE("a server answers initialize with what it can do") {
  ScriptedClient client;
  const Json result = client.start({{"general", {{"positionEncodings", {"utf-8"}}}}});
  CHECK(result["capabilities"]["positionEncoding"] == "utf-8");
  CHECK(result["capabilities"]["textDocumentSync"]["change"] == 2);
  CHECK(result["serverInfo"]["name"] == "gpulint");
}

TEST_CASE("before initialize and after shutdown requests are refused") {
  ScriptedClient client;
  CHECK(client.answer("shutdown", nullptr)["error"]["code"] == kNotInitialized);
  client.start();
  CHECK(client.answer("initialize", Json::object())["error"]["code"] == kInvalidRequest);
  CHECK(client.answer("no/such", nullptr)["error"]["code"] == kMethodNotFound);
  CHECK(client.request("shutdown", nullptr).is_null());
  CHECK(client.answer("shutdown", nullptr)["error"]["code"] == kInvalidRequest);
  client.notify("exit", nullptr);
  CHECK(client.server.exit_code() == 0);
}

TEST_CASE("exit without shutdown is a failure") {
  ScriptedClient client;
  client.start();
  client.notify("exit", nullptr);
  CHECK(client.server.exit_code() == 1);
}

TEST_CASE("a cancelled request is answered as cancelled") {
  ScriptedClient client;
  client.start();
  const Message message{
      .kind = Message::Kind::request, .id = 5, .method = "shutdown", .cancelled = true};
  CHECK(client.server.handle(message).front()["error"]["code"] == kRequestCancelled);
}

TEST_CASE("notifications nobody knows, and broken ones, are passed over") {
  ScriptedClient client;
  client.start();
  const std::size_t before = client.sent.size();
  client.notify("$/setTrace", {{"value", "off"}});
  client.notify("textDocument/didOpen", {{"textDocument", 3}});
  client.notify("textDocument/didOpen", nullptr);
  client.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///p/no.yaml"}}}});
  client.notify("textDocument/didClose", {{"textDocument", {{"uri", "x"}}}});
  client.settle();
  CHECK(client.sent.size() == before);
}

TEST_CASE("an opened config is judged, and again after an edit") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kLoader);
  client.settle();
  CHECK(client.rules("/p/train.yaml") == Lines{"1:13 no-loader-workers"});
  const Json& first = client.diagnostics["/p/train.yaml"][0];
  CHECK(first["source"] == "gpulint");
  CHECK(first["range"]["end"] == position(1, 14));
  client.change("/p/train.yaml", edit_of(1, 13, 14, "2"), 2);
  client.settle();
  CHECK(client.rules("/p/train.yaml").empty());
}

TEST_CASE("edits that wait are judged once, in the version that came last") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kLoader);
  for (int version = 2; version < 10; ++version) {
    client.change("/p/train.yaml", edit_of(0, 23, 24, "4"), version);
  }
  client.settle();
  CHECK(client.times_published["/p/train.yaml"] == 1);
  CHECK((*last_message(client, "textDocument/publishDiagnostics"))["params"]["version"] == 9);
}

TEST_CASE("a file that is no training config has no diagnostics") {
  ScriptedClient client;
  client.start();
  client.open("/p/compose.yaml", "services:\n  web: {image: nginx}\n");
  client.open("/p/notes.yaml", "a: [1,\n");
  client.settle();
  CHECK(client.diagnostics["/p/compose.yaml"] == Json::array());
  CHECK(client.diagnostics["/p/notes.yaml"] == Json::array());
}

TEST_CASE("what nothing reads any more is marked as unnecessary") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", "per_device_batch_size: 8\nnum_workers: 2\nnum_workers: 4\n");
  client.settle();
  REQUIRE(client.rules("/p/train.yaml") == Lines{"1:0 duplicate-key"});
  CHECK(client.diagnostics["/p/train.yaml"][0]["tags"] == Json::array({1}));
}

TEST_CASE("places in other files come along where the client shows them") {
  const std::string config = "defaults: [base, _self_]\nnum_workers: 32\n";
  const std::string base = "per_device_batch_size: 256\nprefetch_factor: 8\n";
  ScriptedClient client(MemoryReader::Files{{"/p/base.yaml", base}, {"/p/run.yaml", config}});
  client.start({{"textDocument", {{"publishDiagnostics", {{"relatedInformation", true}}}}}},
               {{"host", "guide-a10g-resnet50"}, {"set", {{"batch_bytes", "230 MB"}}}});
  client.open("/p/run.yaml", config);
  client.settle();
  Json related;
  for (const Json& each : client.diagnostics["/p/run.yaml"]) {
    if (each["code"] == "host-ram-over-budget") related = each["relatedInformation"];
  }
  REQUIRE(related.size() >= 1);
  CHECK(related[0]["location"]["uri"] == "file:///p/base.yaml");
  CHECK(related[0]["location"]["range"]["start"] == position(1, 17));
  CHECK(related[0]["message"] == "prefetch_factor: 8 batches");
}

TEST_CASE("findings of a run that lie in a file it reads are shown there") {
  const std::string config = "defaults: [base, _self_]\nlearning_rate: 0.1\n";
  ScriptedClient client(MemoryReader::Files{{"/p/base.yaml", kLoader}, {"/p/run.yaml", config}});
  client.start();
  client.open("/p/run.yaml", config);
  client.settle();
  CHECK(client.rules("/p/base.yaml") == Lines{"1:13 no-loader-workers"});
  client.close("/p/run.yaml");
  CHECK(client.rules("/p/base.yaml").empty());
}

TEST_CASE("an edit of a run shows in the base that is open, and the other way round") {
  const std::string config = "defaults: [base, _self_]\nlearning_rate: 0.1\n";
  ScriptedClient client(MemoryReader::Files{{"/p/base.yaml", kLoader}, {"/p/run.yaml", config}});
  client.start();
  client.open("/p/base.yaml", kLoader);
  client.open("/p/run.yaml", config);
  client.settle();
  CHECK(client.rules("/p/base.yaml") == Lines{"1:13 no-loader-workers"});
  client.replace("/p/run.yaml", config + "num_workers: 2\n", 2);
  client.settle();
  CHECK(client.rules("/p/base.yaml").empty());
  client.replace("/p/run.yaml", config, 3);
  client.change("/p/base.yaml", edit_of(1, 13, 14, "4"), 2);
  client.settle();
  CHECK(client.rules("/p/base.yaml").empty());
  client.close("/p/base.yaml");
  client.settle();
  CHECK(client.rules("/p/base.yaml") == Lines{"1:13 no-loader-workers"});
}

TEST_CASE("closing a document takes its diagnostics away") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kLoader);
  client.settle();
  client.close("/p/train.yaml");
  CHECK(client.diagnostics["/p/train.yaml"] == Json::array());
  CHECK_FALSE(client.server.has_work());
}

TEST_CASE("a change of .gpulint.yaml counts for all configs below it") {
  ScriptedClient client(
      MemoryReader::Files{{"/p/.gpulint.yaml", "disable: [no-loader-workers]\n"}});
  client.start();
  client.open("/p/a/train.yaml", kLoader);
  client.settle();
  CHECK(client.rules("/p/a/train.yaml").empty());
  SUBCASE("on the disk") {
    client.disk.files()["/p/.gpulint.yaml"] = "headroom: 0.8\n";
    client.notify("workspace/didChangeWatchedFiles",
                  {{"changes", {{{"uri", "file:///p/.gpulint.yaml"}, {"type", 2}}}}});
  }
  SUBCASE("in the editor") { client.open("/p/.gpulint.yaml", "headroom: 0.8\n"); }
  client.settle();
  CHECK(client.rules("/p/a/train.yaml") == Lines{"1:13 no-loader-workers"});
}

TEST_CASE("each mistake of a .gpulint.yaml stands at its place") {
  ScriptedClient client;
  client.start();
  client.open("/p/.gpulint.yaml", "headroom: 0.9\ngpus: a10g\nhosts: x\n");
  client.settle();
  const Json& list = client.diagnostics["/p/.gpulint.yaml"];
  REQUIRE(list.size() == 2);
  CHECK(list[0]["range"]["start"] == position(1, 0));
  CHECK(list[1]["range"]["start"] == position(2, 0));
  CHECK(list[1]["message"] == "unknown key \"hosts\" (did you mean \"host\"?)");
}

TEST_CASE("files that change unseen count when something is saved") {
  const std::string config = "defaults: [base, _self_]\nlearning_rate: 0.1\n";
  ScriptedClient client(MemoryReader::Files{{"/p/base.yaml", kLoader}, {"/p/run.yaml", config}});
  client.start();
  client.open("/p/run.yaml", config);
  client.settle();
  client.disk.files()["/p/base.yaml"] = "per_device_batch_size: 8\nnum_workers: 4\n";
  client.replace("/p/run.yaml", config + "\n", 2);
  client.settle();
  CHECK(client.rules("/p/base.yaml") == Lines{"1:13 no-loader-workers"});
  client.notify("textDocument/didSave", {{"textDocument", {{"uri", "file:///p/run.yaml"}}}});
  client.settle();
  CHECK(client.rules("/p/base.yaml").empty());
}

TEST_CASE("rules of a project are read when it is opened, and again when they change") {
  const std::string rule =
      "summary: no\nsince: 0.1.0\nseverity: note\nwhen: num_workers == 0\nat: [num_workers]\n"
      "message: none\nwhy: because\nsources: [x]\n"
      "fix: {kind: display, advice: set it}\n"
      "samples:\n  bad:\n    - config: \"num_workers: 0\"\n      expect: [1]\n"
      "  ok:\n    - config: \"num_workers: 1\"\n";
  ScriptedClient client(
      MemoryReader::Files{{"/p/.gpulint/rules/team/loader-needs-workers.yaml", rule}});
  client.start();
  client.open("/p/train.yaml", "per_device_batch_size: 8\nnum_workers: 0\n");
  client.settle();
  const Lines shown = client.rules("/p/train.yaml");
  CHECK(std::count(shown.begin(), shown.end(), "1:13 loader-needs-workers") == 1);
  client.disk.files().erase("/p/.gpulint/rules/team/loader-needs-workers.yaml");
  client.notify(
      "workspace/didChangeWatchedFiles",
      {{"changes", {{{"uri", "file:///p/.gpulint/rules/team/loader-needs-workers.yaml"}}}}});
  client.settle();
  const Lines later = client.rules("/p/train.yaml");
  CHECK(std::count(later.begin(), later.end(), "1:13 loader-needs-workers") == 0);
}

TEST_CASE("folders of a workspace have sessions of their own") {
  const std::string broken = "summary: x\n";
  ScriptedClient client(MemoryReader::Files{{"/q/.gpulint/rules/team/x.yaml", broken}});
  client.start(Json::object(), Json::object(), {"/p"});
  client.open("/p/train.yaml", kLoader);
  client.settle();
  CHECK(client.diagnostics.count("/q/.gpulint/rules/team/x.yaml") == 0);
  client.notify("workspace/didChangeWorkspaceFolders",
                {{"event", {{"added", {{{"uri", "file:///q"}}}}, {"removed", Json::array()}}}});
  client.open("/q/train.yaml", kLoader);
  client.settle();
  CHECK(client.rules("/q/train.yaml") == Lines{"1:13 no-loader-workers"});
}

TEST_CASE("settings name the target, and what is unknown is said once") {
  ScriptedClient client;
  client.start(Json::object(), {{"gpu", "a10gg"}, {"gpus", 0}, {"set", {{"num_workers", "x"}}}});
  std::vector<std::string> warnings;
  for (const Json& each : client.sent) {
    if (each.value("method", "") == "window/showMessage") {
      warnings.push_back(each["params"]["message"].get<std::string>());
    }
  }
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[1] == "gpulint: setting gpus: 0 is not a whole number from 1");
  client.open("/p/train.yaml", kLoader);
  client.notify("workspace/didChangeConfiguration",
                {{"settings", {{"gpulint", {{"set", {{"num_workers", 2}}}}}}}});
  client.settle();
  CHECK(client.rules("/p/train.yaml").empty());
}

TEST_CASE("a client that can be asked for its settings is asked") {
  ScriptedClient client;
  client.start({{"workspace", {{"configuration", true}}}});
  const Json* asked = last_message(client, "workspace/configuration");
  REQUIRE(asked != nullptr);
  CHECK((*asked)["params"]["items"][0]["section"] == "gpulint");
  client.open("/p/train.yaml", kLoader);
  client.server.handle({.kind = Message::Kind::response,
                        .id = (*asked)["id"],
                        .params = Json::array({{{"set", {{"num_workers", 2}}}}})});
  client.settle();
  CHECK(client.rules("/p/train.yaml").empty());
}

}  // namespace lsp_server_test
