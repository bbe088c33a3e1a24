#include "lsp/syntax.h"
#include "unit/lsp/scripted_client.h"

#include <algorithm>

namespace lsp_features_test {

using namespace gpulint;
using namespace gpulint::lsp;

namespace {

const std::string kTrainer =
    "model_name_or_path: meta-llama/Llama-2-7b-hf\n"  // 0
    "per_device_train_batch_size: 4\n"                // 1
    "learning_rate: 1e-4\n"                           // 2
    "num_train_epochs: 3\n"                           // 3
    "bf16: true\n"                                    // 4
    "fp16: true\n"                                    // 5
    "optim: adamw_torch\n";                           // 6

Json at(const std::string& path, int line, int character) {
  return {{"textDocument", {{"uri", uri_of_path(path)}}},
          {"position", {{"line", line}, {"character", character}}}};
}

std::string hover_text(ScriptedClient& client, const std::string& path, int line, int character) {
  const Json hover = client.request("textDocument/hover", at(path, line, character));
  return hover.is_null() ? "" : hover["contents"]["value"].get<std::string>();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Json actions_on(ScriptedClient& client, const std::string& path, int line,
                Json only = Json::array()) {
  const auto place = [&](int character) { return Json{{"line", line}, {"character", character}}; };
  return client.request("textDocument/codeAction",
                        {{"textDocument", {{"uri", uri_of_path(path)}}},
                         {"range", {{"start", place(0)}, {"end", place(99)}}},
                         {"context", {{"diagnostics", Json::array()}, {"only", only}}}});
}

Lines titles(const Json& actions) {
  Lines lines;
  for (const Json& action : actions) lines.push_back(action["title"].get<std::string>());
  return lines;
}

/// The text of a file after the edits of an action.
std::string applied(std::string text, const Json& action, const std::string& path) {
  for (const Json& edit : action["edit"]["changes"][uri_of_path(path)]) {
    CHECK(apply_change(text, {{"range", edit["range"]}, {"text", edit["newText"]}}, Units::utf16));
  }
  return text;
}

Lines labels(ScriptedClient& client, const std::string& path, int line, int character) {
  Lines lines;
  const Json list = client.request("textDocument/completion", at(path, line, character));
  for (const Json& item : list["items"]) lines.push_back(item["label"].get<std::string>());
  return lines;
}

bool offers(const Lines& lines, std::string_view label) {
  return std::count(lines.begin(), lines.end(), label) == 1;
}

/// The place behind "|", which is taken out.
TypedPlace typed(std::string text, Format format) {
  const std::size_t cursor = text.find('|');
  REQUIRE(cursor != std::string::npos);
  text.erase(cursor, 1);
  const auto place = typed_place(text, static_cast<std::uint32_t>(cursor), format);
  REQUIRE(place);
  return *place;
}

}  // namespace

TEST_CASE("a hover tells a fact with its value, meaning and origin") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer);
  const std::string text = hover_text(client, "/p/train.yaml", 1, 4);
  CHECK(has(text, "per_device_batch_size = 4 samples"));
  CHECK(has(text, "samples one device works on in one micro-batch"));
  CHECK(has(text, "stated"));
  CHECK(hover_text(client, "/p/train.yaml", 7, 0).empty());
}

TEST_CASE("a hover says which packages take a key, completion offers their keys and words") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer + std::string("save_strategy: \n\n"));
  CHECK(has(hover_text(client, "/p/train.yaml", 6, 2),
            "taken by transformers: adafactor, "));
  CHECK(offers(labels(client, "/p/train.yaml", 7, 15), "epoch"));
  CHECK(offers(labels(client, "/p/train.yaml", 8, 0), "dataloader_in_order"));
}

TEST_CASE("a hover on a key tells the findings of its value and why the rule exists") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer);
  const std::string text = hover_text(client, "/p/train.yaml", 5, 1);
  CHECK(has(text, "error: fp16 and bf16 are both on"));
  CHECK(has(text, "fp16-and-bf16-both-on: "));
  CHECK(has(text, "Source: "));
}

TEST_CASE("a hover in a base tells which file overrules it") {
  const std::string config = "defaults: [base, _self_]\nlearning_rate: 0.1\nbatch_size: 8\n";
  const std::string base = "learning_rate: 0.2\nnum_workers: 4\n";
  ScriptedClient client(MemoryReader::Files{{"/p/base.yaml", base}, {"/p/run.yaml", config}});
  client.start();
  client.open("/p/run.yaml", config);
  client.settle();
  client.open("/p/base.yaml", base);
  CHECK(has(hover_text(client, "/p/base.yaml", 1, 3), "num_workers = 4 workers"));
}

TEST_CASE("values of a config are no links in a hover") {
  ScriptedClient client;
  client.start({{"textDocument", {{"hover", {{"contentFormat", {"markdown"}}}}}}});
  client.open("/p/train.yaml", kTrainer + "lr_scheduler_type: \"![x](http://a/b.png)\"\n");
  const std::string text = hover_text(client, "/p/train.yaml", 7, 3);
  CHECK(has(text, "!\\[x\\]"));
}

TEST_CASE("fixes that hold are quick fixes, safe ones preferred") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", "batch_size: 8\nnum_workers: 2\nnum_workers: 4\n");
  const Json actions = actions_on(client, "/p/train.yaml", 1);
  REQUIRE(actions.size() >= 1);
  CHECK(actions[0]["kind"] == "quickfix");
  CHECK(actions[0]["diagnostics"].size() == 1);
}

TEST_CASE("a finding can be hidden by a comment that gives the reason") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer);
  client.settle();
  const Json actions = actions_on(client, "/p/train.yaml", 5);
  const Lines lines = titles(actions);
  const auto found = std::find(lines.begin(), lines.end(), "Ignore fp16-and-bf16-both-on here");
  REQUIRE(found != lines.end());
  const Json& action = actions[static_cast<std::size_t>(found - lines.begin())];
  const std::string after = applied(kTrainer, action, "/p/train.yaml");
  CHECK(has(after, "fp16: true  # gpulint: ignore[fp16-and-bf16-both-on] -- say why\n"));
  client.replace("/p/train.yaml", after, 2);
  client.settle();
  CHECK(client.rules("/p/train.yaml").empty());
}

TEST_CASE("what .gpulint.yaml lets nobody ignore is not offered to be ignored") {
  ScriptedClient client(
      MemoryReader::Files{{"/p/.gpulint.yaml", "unignorable: [fp16-and-bf16-both-on]\n"}});
  client.start();
  client.open("/p/train.yaml", kTrainer);
  for (const std::string& title : titles(actions_on(client, "/p/train.yaml", 5))) {
    CHECK_FALSE(has(title, "Ignore"));
  }
}

TEST_CASE("all safe fixes come as one action where it is asked for") {
  const std::string text = "batch_size: 8\nnum_workers: 0\npersistent_workers: true\n";
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", text);
  CHECK(titles(actions_on(client, "/p/train.yaml", 2, {"refactor"})).empty());
  const Json actions = actions_on(client, "/p/train.yaml", 0, {"source.fixAll"});
  REQUIRE(titles(actions) == Lines{"Apply all safe fixes"});
  CHECK(actions[0]["kind"] == "source.fixAll.gpulint");
  CHECK(applied(text, actions[0], "/p/train.yaml") ==
        "batch_size: 8\nnum_workers: 0\npersistent_workers: false\n");
}

TEST_CASE("keys of the dialect are offered, those that stand there are not") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer + "warm\n");
  const Lines keys = labels(client, "/p/train.yaml", 7, 4);
  CHECK(offers(keys, "warmup_ratio"));
  CHECK(offers(keys, "gradient_accumulation_steps"));
  CHECK_FALSE(offers(keys, "bf16"));
}

TEST_CASE("words of a fact are offered as the dialect spells them") {
  ScriptedClient client;
  client.start();
  client.open("/p/train.yaml", kTrainer + "gradient_checkpointing: \n");
  client.settle();
  CHECK(offers(labels(client, "/p/train.yaml", 6, 7), "adamw_torch"));
  CHECK(offers(labels(client, "/p/train.yaml", 0, 31), "meta-llama/Llama-2-7b-hf"));
}

TEST_CASE("a file of no known dialect is offered nothing") {
  ScriptedClient client;
  client.start();
  client.open("/p/compose.yaml", "services:\n  \n");
  CHECK(labels(client, "/p/compose.yaml", 1, 2).empty());
}

TEST_CASE("a .gpulint.yaml is completed from its schema") {
  ScriptedClient client;
  client.start();
  client.open("/p/.gpulint.yaml", "gpu: a1\nseverity:\n  pin\noverrides:\n  - paths: [x]\n    \n");
  CHECK(offers(labels(client, "/p/.gpulint.yaml", 0, 7), "a10g"));
  CHECK(offers(labels(client, "/p/.gpulint.yaml", 2, 5), "pin-memory-off"));
  const Lines keys = labels(client, "/p/.gpulint.yaml", 5, 4);
  CHECK(offers(keys, "gpu"));
  CHECK_FALSE(offers(keys, "overrides"));
}

TEST_CASE("a cursor in block YAML is found by its indentation") {
  const TypedPlace key = typed("a:\n  b:\n    c: 1\n    d|\n    e: 2\nf: 3\n", Format::yaml);
  CHECK(key.parents == Lines{"a", "b"});
  CHECK(key.siblings == Lines{"c", "e"});
  CHECK(key.key.empty());
  CHECK(key.typed == "d");
  const TypedPlace value = typed("a:\n- b: 1\n  c: \"x|\"\n", Format::yaml);
  CHECK(value.parents == Lines{"a"});
  CHECK(value.key == "c");
  CHECK(value.typed == "x");
  CHECK(value.quoted);
  const TypedPlace blank = typed("a:\n  b: 1\n  |\n", Format::yaml);
  CHECK(blank.parents == Lines{"a"});
  CHECK(blank.siblings == Lines{"b"});
  CHECK(typed("a:\n  b: 1\n|\n", Format::yaml).parents.empty());
}

TEST_CASE("a cursor in JSON is found by its brackets") {
  const TypedPlace key = typed("{\"a\": {\"b\": 1, \"c|\"}}", Format::json);
  CHECK(key.parents == Lines{"a"});
  CHECK(key.siblings == Lines{"b"});
  CHECK(key.typed == "c");
  const TypedPlace value = typed("{\"a\": [{\"b\": \"x|", Format::json);
  CHECK(value.parents == Lines{"a"});
  CHECK(value.key == "b");
  CHECK(value.typed == "x");
  CHECK(typed("{\"a\": tr|", Format::json).typed == "tr");
}

TEST_CASE("nothing is typed in a comment") {
  CHECK_FALSE(typed_place("a: 1 # b", 8, Format::yaml));
  CHECK_FALSE(typed_place("# b", 3, Format::yaml));
}

}  // namespace lsp_features_test
