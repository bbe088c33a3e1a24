#include "unit/lsp/scripted_client.h"

#include <algorithm>

namespace lsp_views_test {

using namespace gpulint;
using namespace gpulint::lsp;

namespace {

const std::string kResnet =
    "model: resnet50\n"         // 0
    "batch_size: 64\n"          // 1
    "image_size: 224\n"         // 2
    "precision: 16-mixed\n"     // 3
    "optimizer: sgd\n"          // 4
    "learning_rate: 0.1\n"      // 5
    "num_workers: 4\n"          // 6
    "dataset_samples: 64000\n"  // 7
    "epochs: 2\n";              // 8

Json whole(const std::string& path) {
  return {
      {"textDocument", {{"uri", uri_of_path(path)}}},
      {"range",
       {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 999}, {"character", 0}}}}}};
}

Json place(const std::string& path, int line, int character) {
  return {{"textDocument", {{"uri", uri_of_path(path)}}},
          {"position", {{"line", line}, {"character", character}}}};
}

/// "line:character label" of every hint.
Lines hints(ScriptedClient& client, const std::string& path) {
  Lines lines;
  for (const Json& hint : client.request("textDocument/inlayHint", whole(path))) {
    lines.push_back(to_text(hint["position"]["line"]) + ":" +
                    to_text(hint["position"]["character"]) + " " +
                    hint["label"].get<std::string>());
  }
  return lines;
}

std::string hint_on(const Lines& lines, std::string_view place) {
  for (const std::string& line : lines) {
    if (line.starts_with(place)) return line.substr(place.size());
  }
  return "";
}

bool contains_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

MemoryReader::Files hydra_files() {
  return {{"/p/conf/config.yaml",
           "defaults:\n  - optim: adam\n  - base\n  - _self_\nbatch_size: 8\nlearning_rate: 0.1\n"
           "copy: ${batch_size}\n"},
          {"/p/conf/optim/adam.yaml", "name: adam\n"},
          {"/p/conf/base.yaml", "num_workers: 4\nlearning_rate: 0.2\n"}};
}

}  // namespace

TEST_CASE("the batch shows what it needs of the target's memory, and up to which one fits") {
  ScriptedClient client;
  client.start(Json::object(), {{"gpu", "a10g"}});
  client.open("/p/train.yaml", kResnet);
  const std::string batch = hint_on(hints(client, "/p/train.yaml"), "1:14 ");
  CHECK(contains_text(batch, "▸ "));
  CHECK(contains_text(batch, " of 22.1 GiB"));
  CHECK(contains_text(batch, "fits up to "));
  client.replace("/p/train.yaml", "model: resnet50\nbatch_size: 64000\n" + kResnet.substr(31), 2);
  CHECK(contains_text(hint_on(hints(client, "/p/train.yaml"), "1:17 "), "does not fit"));
}

TEST_CASE("without a target there is no hint on memory") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kResnet);
  CHECK_FALSE(contains_text(hint_on(hints(client, "/p/train.yaml"), "1:14 "), "GiB"));
}

TEST_CASE("a rate beside a reference shows what it scales to") {
  ScriptedClient client(
      MemoryReader::Files{{"/p/.gpulint.yaml",
                           "gpus_per_node: 8\nnodes: 1\nfacts: {reference_batch_size: 256, "
                           "reference_learning_rate: 0.1}\n"}});
  client.start();
  client.open("/p/train.yaml", kResnet);
  CHECK(hint_on(hints(client, "/p/train.yaml"), "5:18 ") ==
        "▸ 0.1 at batch 256 scales to 0.2 at 512");
  CHECK(contains_text(hint_on(hints(client, "/p/train.yaml"), "1:14 "),
                      "512 samples a step, assumed"));
}

TEST_CASE("hints outside of the range are left out") {
  ScriptedClient client;
  client.start(Json::object(), {{"gpu", "a10g"}});
  client.open("/p/train.yaml", kResnet);
  Json asked = whole("/p/train.yaml");
  asked["range"]["end"]["line"] = 1;
  CHECK(client.request("textDocument/inlayHint", asked).empty());
}

TEST_CASE("a lens tells the verdict, and its command the whole estimate") {
  ScriptedClient client;
  client.start(Json::object(), {{"gpu", "a10g"}});
  client.open("/p/train.yaml", kResnet);
  const Json lenses = client.request("textDocument/codeLens", whole("/p/train.yaml"));
  REQUIRE(lenses.size() == 2);
  const std::string title = lenses[0]["command"]["title"].get<std::string>();
  CHECK(contains_text(title, " of 22.1 GiB: fits"));
  CHECK(contains_text(title, " on a10g"));
  CHECK(lenses[0]["range"]["start"]["line"] == 1);
  const Json command = lenses[0]["command"];
  const Json text =
      client.request("workspace/executeCommand",
                     {{"command", command["command"]}, {"arguments", command["arguments"]}});
  CHECK(contains_text(text.get<std::string>(), "step time: "));
  const Json fit = client.request(
      "workspace/executeCommand",
      {{"command", lenses[1]["command"]["command"]}, {"arguments", command["arguments"]}});
  CHECK(contains_text(fit.get<std::string>(), "largest batch"));
}

TEST_CASE("in a repository a lens leads to what the edited file changes since the last commit") {
  std::string asked;
  ScriptedClient client({{"/p/.git/HEAD", "ref"}},
                        {.diff_to_head = [&](const SessionView& session, const LintRequest&,
                                             const std::string& path) -> Result<std::string> {
                          asked = path;
                          const Buffer* buffer = session.buffer(path);
                          return buffer == nullptr ? "none" : buffer->text.substr(0, 5);
                        }});
  client.start(Json::object(), {{"gpu", "a10g"}});
  client.open("/p/train.yaml", kResnet);
  const Json lenses = client.request("textDocument/codeLens", whole("/p/train.yaml"));
  REQUIRE(lenses.size() == 3);
  CHECK(lenses[2]["command"]["title"] == "changes since HEAD");
  const Json command = lenses[2]["command"];
  const Json text =
      client.request("workspace/executeCommand",
                     {{"command", command["command"]}, {"arguments", command["arguments"]}});
  CHECK(text == std::string(kResnet).substr(0, 5));
  CHECK(asked == "/p/train.yaml");
}

TEST_CASE("what git refuses is an error of the request, and without git there is no such lens") {
  ScriptedClient client({{"/p/.git/HEAD", "ref"}},
                        {.diff_to_head = [](const SessionView&, const LintRequest&,
                                            const std::string&) -> Result<std::string> {
                          return fail("git is not installed");
                        }});
  client.start();
  client.open("/p/train.yaml", kResnet);
  client.open("/elsewhere/train.yaml", kResnet);
  const Json answer =
      client.answer("workspace/executeCommand",
                    {{"command", "gpulint.diff"}, {"arguments", {"file:///p/train.yaml"}}});
  CHECK(answer["error"]["code"] == kRequestFailed);
  CHECK(client.request("textDocument/codeLens", whole("/elsewhere/train.yaml")).size() == 2);
}

TEST_CASE("a view asks what would be with other facts, and nothing is shown as a message") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kResnet);
  const auto asked = [&](Json changes) {
    return client.answer("workspace/executeCommand",
                         {{"command", "gpulint.whatIf"},
                          {"arguments", {"file:///p/train.yaml", std::move(changes)}}});
  };
  const Json as_stated = asked(Json::object())["result"];
  CHECK(as_stated["facts"]["per_device_batch_size"].is_string());
  const Json doubled = asked({{"per_device_batch_size", 1024}})["result"];
  CHECK(doubled["facts"]["per_device_batch_size"] == "1024");
  CHECK(doubled["estimate"]["vram"]["needed_low"].get<std::int64_t>() >
        as_stated["estimate"]["vram"]["needed_low"].get<std::int64_t>());
  CHECK(asked({{"per_device_batch_size", "many"}})["error"]["code"] == kInvalidParams);
  CHECK(asked({{"no_such_fact", "1"}})["error"]["code"] == kInvalidParams);
}

TEST_CASE("commands nobody knows, and files that are not open, are refused") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kResnet);
  const auto code = [&](Json params) {
    return client.answer("workspace/executeCommand", std::move(params))["error"]["code"];
  };
  CHECK(code({{"command", "gpulint.fit"}}) == kInvalidParams);
  CHECK(code({{"command", "gpulint.fit"}, {"arguments", {"file:///p/no.yaml"}}}) == kInvalidParams);
  CHECK(code({{"command", "rm"}, {"arguments", {"file:///p/train.yaml"}}}) == kInvalidParams);
}

TEST_CASE("a value that names a file of the run leads there") {
  ScriptedClient client(hydra_files());
  client.start();
  client.open("/p/conf/config.yaml", hydra_files().at("/p/conf/config.yaml"));
  const auto leads_to = [&](int line, int character) {
    const Json found =
        client.request("textDocument/definition", place("/p/conf/config.yaml", line, character));
    return found.is_null() ? "" : found["uri"].get<std::string>();
  };
  CHECK(leads_to(1, 12) == "file:///p/conf/optim/adam.yaml");
  CHECK(leads_to(2, 5) == "file:///p/conf/base.yaml");
  CHECK(leads_to(4, 13).empty());
}

TEST_CASE("a reference leads to its key, an overruled value to the one that counts") {
  ScriptedClient client(hydra_files());
  client.start();
  client.open("/p/conf/config.yaml", hydra_files().at("/p/conf/config.yaml"));
  const Json key = client.request("textDocument/definition", place("/p/conf/config.yaml", 6, 8));
  REQUIRE_FALSE(key.is_null());
  CHECK(key["range"]["start"] == Json{{"line", 4}, {"character", 12}});
  client.open("/p/conf/base.yaml", hydra_files().at("/p/conf/base.yaml"));
  const Json winner = client.request("textDocument/definition", place("/p/conf/base.yaml", 1, 16));
  REQUIRE_FALSE(winner.is_null());
  CHECK(winner["uri"] == "file:///p/conf/config.yaml");
  CHECK(winner["range"]["start"] == Json{{"line", 5}, {"character", 15}});
}

TEST_CASE("a dotted name leads to its class, a value to the call that takes it") {
  const std::string config = "net: {_target_: net.vision.Small}\nin:\n  rows: 16\nspeed: 0.001\n";
  const std::string code =
      "import argparse, torch, yaml\n"
      "from torch.utils.data import DataLoader\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument(\"--config\")\n"
      "    args = parser.parse_args()\n"
      "    with open(args.config) as f:\n"
      "        cfg = yaml.safe_load(f)\n"
      "    loader = DataLoader(data(\"train\"), batch_size=cfg[\"in\"][\"rows\"], shuffle=True)\n"
      "    optimizer = torch.optim.AdamW(params(), lr=cfg[\"speed\"])\n"
      "if __name__ == \"__main__\":\n"
      "    main()\n";
  ScriptedClient client(
      MemoryReader::Files{{"/p/.git/HEAD", ""},
                          {"/p/configs/a.yaml", config},
                          {"/p/src/net/vision.py", "import torch\n\n\nclass Small:\n  pass\n"},
                          {"/p/train.py", code}});
  client.start();
  client.open("/p/configs/a.yaml", config);
  const Json target = client.request("textDocument/definition", place("/p/configs/a.yaml", 0, 20));
  REQUIRE(target.is_object());
  CHECK(target["uri"] == "file:///p/src/net/vision.py");
  CHECK(target["range"]["start"]["line"] == 3);
  const Json calls = client.request("textDocument/definition", place("/p/configs/a.yaml", 3, 2));
  REQUIRE(calls.is_array());
  REQUIRE(calls.size() == 1);
  CHECK(calls[0]["uri"] == "file:///p/train.py");
  CHECK(calls[0]["range"]["start"]["line"] == 9);
}

TEST_CASE("values that name files of the run are links") {
  ScriptedClient client(hydra_files());
  client.start();
  client.open("/p/conf/config.yaml", hydra_files().at("/p/conf/config.yaml"));
  Lines targets;
  for (const Json& link :
       client.request("textDocument/documentLink", whole("/p/conf/config.yaml"))) {
    targets.push_back(link["target"].get<std::string>());
  }
  CHECK(targets == Lines{"file:///p/conf/optim/adam.yaml", "file:///p/conf/base.yaml"});
}

TEST_CASE("a client that asks for diagnostics is not sent any") {
  ScriptedClient client;
  const Json result = client.start(Json::object(), {{"diagnostics", "pull"}});
  CHECK(result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] == true);
  client.open("/p/train.yaml", "batch_size: 8\nnum_workers: 0\n");
  client.settle();
  CHECK(client.diagnostics.empty());
  Json asked = whole("/p/train.yaml");
  const Json report = client.request("textDocument/diagnostic", asked);
  CHECK(report["kind"] == "full");
  CHECK(report["items"][0]["code"] == "no-loader-workers");
  asked["previousResultId"] = report["resultId"];
  CHECK(client.request("textDocument/diagnostic", asked)["kind"] == "unchanged");
}

TEST_CASE("the whole workspace is judged over what the client holds unsaved") {
  const std::string bad = "batch_size: 8\nnum_workers: 0\n";
  ScriptedClient client(MemoryReader::Files{{"/p/a.yaml", bad}, {"/p/b.yaml", bad}});
  client.start(Json::object(), {{"diagnostics", "pull"}});
  client.open("/p/b.yaml", "batch_size: 8\nnum_workers: 4\n");
  const Json first =
      client.request("workspace/diagnostic", {{"previousResultIds", Json::array()}})["items"];
  REQUIRE(first.size() == 1);
  CHECK(first[0]["uri"] == "file:///p/a.yaml");
  CHECK(first[0]["items"].size() == 1);
  const Json known = Json::array({{{"uri", "file:///p/a.yaml"}, {"value", first[0]["resultId"]}}});
  CHECK(client.request("workspace/diagnostic",
                       {{"previousResultIds", known}})["items"][0]["kind"] == "unchanged");
  client.replace("/p/b.yaml", bad, 2);
  client.settle();
  const Json edited =
      client.request("workspace/diagnostic", {{"previousResultIds", known}})["items"];
  REQUIRE(edited.size() == 2);
  CHECK(edited[1]["uri"] == "file:///p/b.yaml");
  CHECK(edited[1]["version"] == 2);
  client.replace("/p/b.yaml", "batch_size: 8\nnum_workers: 4\n", 3);
  client.settle();
  client.disk.files()["/p/a.yaml"] = "batch_size: 8\nnum_workers: 4\n";
  client.notify("workspace/didChangeWatchedFiles",
                {{"changes", {{{"uri", "file:///p/a.yaml"}, {"type", 2}}}}});
  const Json later =
      client.request("workspace/diagnostic", {{"previousResultIds", known}})["items"];
  REQUIRE(later.size() == 1);
  CHECK(later[0]["items"] == Json::array());
}

}  // namespace lsp_views_test
