#include "source/document.h"

#include "unit/source/source_testing.h"

#include <utility>

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

std::string member_list(const Document& document, std::string_view pointer) {
  std::string result;
  for (const Member& member : document.members(document.at(pointer))) {
    result += std::string(document.scalar(member.key)) + "=" +
              (member.value == kNoNode ? "?" : std::string(document.scalar(member.value))) +
              (member.merged ? "* " : " ");
  }
  return result;
}

}  // namespace

TEST_CASE("find gives the last of several equal keys") {
  const Document document = yaml("lr: 1\nlr: 2\n");
  CHECK(document.scalar(document.find(document.root(), "lr")) == "2");
  CHECK(document.find(document.root(), "none") == kNoNode);
  CHECK(document.find(kNoNode, "lr") == kNoNode);
  CHECK(document.find(document.at("/lr"), "lr") == kNoNode);
}

TEST_CASE("own keys win over merged ones, wherever they stand") {
  const Document document =
      yaml("b: &b {lr: 1, bs: 2}\nr:\n  lr: 3\n  <<: *b\ns: {<<: *b, lr: 4}\n");
  CHECK(member_list(document, "/r") == "lr=3 bs=2* ");
  CHECK(member_list(document, "/s") == "lr=4 bs=2* ");
  CHECK(value(document, "/r/bs") == "2");
  CHECK(value(document, "/s/lr") == "4");
}

TEST_CASE("the first mapping of a merged list and the last merge key win") {
  const Document document =
      yaml("a: &a {x: 1}\nb: &b {x: 2}\nc: {<<: [*a, *b]}\nd: {<<: *a, <<: *b}\n");
  CHECK(value(document, "/c/x") == "1");
  CHECK(member_list(document, "/c") == "x=1* ");
  CHECK(value(document, "/d/x") == "2");
  CHECK(member_list(document, "/d") == "x=2* ");
}

TEST_CASE("merges reach through merges") {
  const Document document = yaml("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, z: 3}\n");
  CHECK(member_list(document, "/c") == "z=3 y=2* x=1* ");
}

TEST_CASE("a quoted << is an ordinary key") {
  const Document document = yaml("a: {\"<<\": {x: 1}}\n");
  CHECK(document.members(document.at("/a")).size() == 1);
  CHECK(json("{\"<<\": {\"x\": 1}}").find(0, "x") == kNoNode);
}

TEST_CASE("members keep the first place and the last value of a duplicate") {
  CHECK(member_list(yaml("r: {a: 1, b: 2, a: 3}"), "/r") == "a=3 b=2 ");
  std::string text = "r: {a0: x";
  for (int i = 0; i < 40; ++i) text += ", a" + std::to_string(i) + ": " + std::to_string(i);
  const Document document = yaml(text + "}");
  const auto members = document.members(document.at("/r"));
  REQUIRE(members.size() == 40);
  CHECK(document.scalar(members[0].value) == "0");
  CHECK(document.scalar(members[39].value) == "39");
}

TEST_CASE("pointers name nodes and are followed back") {
  const Document document = yaml("a/b:\n  - x\n  - {m~n: [1, 2]}\n\"\": e\n");
  const NodeId id = document.at("/a~1b/1/m~0n/1");
  REQUIRE(id != kNoNode);
  CHECK(document.scalar(id) == "2");
  CHECK(document.pointer(id) == "/a~1b/1/m~0n/1");
  CHECK(value(document, "/") == "e");
  CHECK(document.at("") == document.root());
  CHECK(document.at("/a~1b/2") == kNoNode);
  CHECK(document.at("/a~1b/x") == kNoNode);
  CHECK(document.at("/a~1b/0/0") == kNoNode);
  CHECK(document.at("a") == kNoNode);
  CHECK(document.at("/a~1b/99999999999999999999") == kNoNode);
}

TEST_CASE("a key has the pointer of its value") {
  const Document document = yaml("a: {b: 1}\n");
  const NodeId value_node = document.at("/a/b");
  CHECK(document.pointer(document.node(value_node).key) == "/a/b");
}

TEST_CASE("pointers go through aliases one way only") {
  const Document document = yaml("a: &a {x: 1}\nb: *a\n");
  CHECK(document.at("/b/x") == document.at("/a/x"));
  CHECK(document.pointer(document.at("/b/x")) == "/a/x");
}

TEST_CASE("a view of a document answers like the document") {
  const Document owned = yaml("a: [1, \"x\\ty\"] # c\n");
  const Document view = Document::from_view(owned.view());
  CHECK(value(view, "/a/1") == "x\ty");
  CHECK(view.comments().size() == 1);
  CHECK(view.line_column(4) == LineColumn{1, 5});
}

TEST_CASE("a moved document keeps its views valid") {
  std::vector<Document> documents;
  documents.push_back(yaml("a: 1"));
  for (int i = 0; i < 20; ++i) documents.push_back(yaml("b: 2"));
  CHECK(value(documents.front(), "/a") == "1");
}

TEST_CASE("asking about no node is harmless") {
  const Document document;
  CHECK(document.root() == kNoNode);
  CHECK(document.scalar(kNoNode).empty());
  CHECK(document.tag(kNoNode).empty());
  CHECK(document.anchor(kNoNode).empty());
  CHECK(document.resolve(kNoNode) == kNoNode);
  CHECK(document.members(kNoNode).empty());
  CHECK(document.items(kNoNode).empty());
  CHECK(document.at("/a") == kNoNode);
  CHECK(document.pointer(kNoNode).empty());
  CHECK(document.kind(kNoNode) == NodeKind::scalar);
}

TEST_CASE("equal documents of one file have one fingerprint, and any other has another") {
  const auto print = [](std::string text, std::string path = "a.yaml", FileId file = 0) {
    const Document::Fingerprint made =
        read_yaml(std::move(path), std::move(text), file, {})->fingerprint();
    return std::pair(made.nodes, made.texts);
  };
  const auto own = print("lr: 1\n");
  CHECK(print("lr: 1\n") == own);
  CHECK(print("lr: 2\n") != own);
  CHECK(print("lr:  1\n") != own);  // what is said of it stands elsewhere
  CHECK(print("lr: 1\n", "b.yaml") != own);
  CHECK(print("lr: 1\n", "a.yaml", 7) != own);
}
