#include "engine/fix_member.h"

#include "finding/apply.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

/// The text after `key` is written behind the member at `pointer`; the reason when it is refused.
std::string inserted(const std::string& name, const std::string& text, std::string_view pointer) {
  const auto document = read_document(name, text, 0);
  REQUIRE(document.has_value());
  NodeId member = document->at(pointer);
  const auto edit = insert_member(*document, {member, "key", {}}, "true");
  if (!edit) return edit.error().message;
  return *apply_edits(text, 0, {&*edit, 1});
}

std::string removed(const std::string& name, const std::string& text, std::string_view pointer) {
  const auto document = read_document(name, text, 0);
  REQUIRE(document.has_value());
  const auto edit = remove_member(*document, document->at(pointer));
  if (!edit) return edit.error().message;
  return *apply_edits(text, 0, {&*edit, 1});
}

}  // namespace

TEST_CASE("a new key stands behind its neighbour, indented and ended as it is") {
  CHECK(inserted("a.yaml", "t:\n  a: 1  # one\n  b: 2\n", "/t/a") ==
        "t:\n  a: 1  # one\n  key: true\n  b: 2\n");
  CHECK(inserted("a.yaml", "a: 1\r\nb: 2\r\n", "/b") == "a: 1\r\nb: 2\r\nkey: true\r\n");
  CHECK(inserted("a.yaml", "a: 1\nb: 2", "/b") == "a: 1\nb: 2\nkey: true");
  CHECK(inserted("a.yaml", "l:\n  - a: 1\n    b: 2\n", "/l/0/a") ==
        "l:\n  - a: 1\n    key: true\n    b: 2\n");
  CHECK(inserted("a.yaml", "'a': 1\n", "/a") == "'a': 1\n'key': true\n");
}

TEST_CASE("in flow style and JSON the comma comes along") {
  CHECK(inserted("a.yaml", "t: {a: 1, b: 2}\n", "/t/b") == "t: {a: 1, b: 2, key: true}\n");
  CHECK(inserted("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/a") ==
        "{\n  \"a\": 1,\n  \"key\": true,\n  \"b\": 2\n}\n");
  CHECK(inserted("a.json", "{\n  \"a\": 1\n}\n", "/a") == "{\n  \"a\": 1,\n  \"key\": true\n}\n");
  CHECK(inserted("a.json", "{\"a\":1}", "/a") == "{\"a\":1, \"key\":true}");
}

TEST_CASE("where a neighbour takes several lines or is shared nothing is written") {
  CHECK(inserted("a.yaml", "a: |\n  text\n", "/a") == "the neighbouring key takes several lines");
  CHECK(inserted("a.yaml", "t: &t\n  a: 1\n", "/t/a") ==
        "the section is shared through the anchor &t");
}

TEST_CASE("a key goes with its line, but not with a comment or as the last of its section") {
  CHECK(removed("a.yaml", "a: 1\nb: 2\nc: 3\n", "/b") == "a: 1\nc: 3\n");
  CHECK(removed("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/a") == "{\n  \"b\": 2\n}\n");
  CHECK(removed("a.yaml", "a: 1\nb: 2  # why\n", "/b") == "the key shares its line");
  CHECK(removed("a.yaml", "t:\n  a: 1\n", "/t/a") == "the section would be empty without the key");
  CHECK(removed("a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "/b") == "the key ends its section");
}
