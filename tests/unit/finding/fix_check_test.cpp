#include "finding/fix_check.h"

#include "finding/apply.h"
#include "source/read.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

Document read(const std::string& text) { return std::move(*read_yaml("a.yaml", text, 0)); }

/// What changes besides the pointer when `from` is replaced by `to`.
std::string besides(const std::string& text, const std::string& from, const std::string& to,
                    const std::string& pointer) {
  const auto at = static_cast<std::uint32_t>(text.find(from));
  const Edit edit{{0, at, at + static_cast<std::uint32_t>(from.size())}, to, pointer};
  const std::string after = std::move(*apply_edits(text, 0, {&edit, 1}));
  return unintended_change(read(text), read(after), {&edit, 1});
}

}  // namespace

TEST_CASE("a changed value at its pointer is what was meant") {
  CHECK(besides("a: 1\nb: {c: 2}\n", "2", "3", "/b/c") == "");
}

TEST_CASE("a change at another pointer is found") {
  CHECK(besides("a: 1\nb: {c: 2}\n", "1", "3", "/b/c") ==
        "something else changed as well, near \"/a\"");
}

TEST_CASE("a key that appears or goes must be named") {
  CHECK(besides("a: 1\n", "1", "1\nb: 2", "/b") == "");
  CHECK(besides("a: 1\n", "1", "1\nb: 2", "/a") != "");
  CHECK(besides("a: 1\nb: 2\n", "b: 2\n", "", "/b") == "");
  CHECK(besides("a: 1\nb: 2\n", "b: 2\n", "", "") != "");
}

TEST_CASE("another document of the same file, an anchor and a tag count too") {
  CHECK(besides("a: 1\n---\nb: 2\n", "2", "3", "/a") != "");
  CHECK(besides("a: &x 1\nb: 2\n", "&x ", "", "/b") != "");
  CHECK(besides("a: !!str 1\nb: 2\n", "!!str ", "", "/b") != "");
}

TEST_CASE("a comment that is swallowed is found, one an edit removes on purpose is not") {
  CHECK(besides("a: 1 # why\n", "1 # why", "\"1 # why\"", "/a") == "");
  CHECK(besides("a: 1 # why\n", " # why", "", "") == "");
}
