#include "finding/add_ignore.h"

#include "finding/suppression.h"
#include "source/read.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

constexpr FileId kFile = 0;

/// A finding of `rule` at the first `word`; at the whole file for "".
struct At {
  const char* rule;
  const char* word;
};

/// The text after suppressions for these findings; every one must be hidden by what was written.
std::string written(const std::string& text, std::vector<At> places,
                    const std::string& path = "a.yaml") {
  std::vector<Finding> findings;
  for (const At& at : places) {
    Finding finding;
    finding.rule = at.rule;
    const std::string word = at.word;
    const auto begin = word.empty() ? 0 : static_cast<std::uint32_t>(text.find(word));
    finding.span = {kFile, begin, begin + static_cast<std::uint32_t>(word.size())};
    findings.push_back(finding);
  }
  std::vector<const Finding*> pointers;
  for (const Finding& finding : findings) pointers.push_back(&finding);
  const auto document = read_document(path, text, kFile);
  REQUIRE(document);
  return add_ignores(*document, pointers, "why").text;
}

}  // namespace

TEST_CASE("a suppression is written behind the entry, behind a comment that is there") {
  CHECK(written("a: 1\nb: 2\n", {{"x", "1"}}) == "a: 1  # gpulint: ignore[x] -- why\nb: 2\n");
  CHECK(written("a: 1 # old  \nb: 2", {{"x", "1"}, {"y", "2"}}) ==
        "a: 1 # old  # gpulint: ignore[x] -- why  \nb: 2  # gpulint: ignore[y] -- why");
  CHECK(written("a: 1\r\nb: 2\r\n", {{"x", "1"}}) ==
        "a: 1  # gpulint: ignore[x] -- why\r\nb: 2\r\n");
}

TEST_CASE("findings of one line share a suppression, an old one included") {
  CHECK(written("a: {b: 1, c: 2}\n", {{"y", "1"}, {"x", "2"}}) ==
        "a: {b: 1, c: 2}  # gpulint: ignore[x, y] -- why\n");
  CHECK(written("a: 1  # gpulint: ignore[x] -- old\n", {{"y", "1"}}) ==
        "a: 1  # gpulint: ignore[x, y] -- old\n");
}

TEST_CASE("where a comment behind would become text it stands above") {
  CHECK(written("t:\n  a: one\n    two\n  b: 1\n", {{"x", "one"}}) ==
        "t:\n  # gpulint: ignore[x] -- why\n  a: one\n    two\n  b: 1\n");
  CHECK(written("a: \"one\n  two\"\n", {{"x", "\"one"}}) ==
        "# gpulint: ignore[x] -- why\na: \"one\n  two\"\n");
  CHECK(written("a: |\n  text\n", {{"x", "|"}}) == "a: |  # gpulint: ignore[x] -- why\n  text\n");
}

TEST_CASE("a finding about the whole file is suppressed at its top") {
  CHECK(written("a: 1\n", {{"x", ""}}) == "# gpulint: file-ignore[x] -- why\na: 1\n");
  CHECK(written("#!/bin/sh\nA=1\n", {{"x", ""}}, "a.env") ==
        "#!/bin/sh\n# gpulint: file-ignore[x] -- why\nA=1\n");
}

TEST_CASE("in JSON the innermost object gets a key, or one more text") {
  CHECK(written("{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", {{"x", "1"}}, "a.json") ==
        "{\n  \"a\": {\n    \"//gpulint\": \"ignore[x] -- why\",\n    \"b\": 1\n  }\n}\n");
  CHECK(written("{\"//gpulint\": \"ignore[y]\", \"b\": 1}", {{"x", "1"}}, "a.json") ==
        "{\"//gpulint\": [\"ignore[y]\", \"ignore[x] -- why\"], \"b\": 1}");
  CHECK(written("{\"//gpulint\": [\"ignore[y]\"], \"b\": 1}", {{"x", "1"}}, "a.json") ==
        "{\"//gpulint\": [\"ignore[y]\", \"ignore[x] -- why\"], \"b\": 1}");
  CHECK(written("[1]", {{"x", "1"}}, "a.json") == "[1]");
}

TEST_CASE("what judges suppressions is not suppressed") {
  CHECK(written("a: 1\n", {{"unused-suppression", "1"}}) == "a: 1\n");
}

TEST_CASE("a suppression never stands behind or between lines that a backslash continues") {
  CHECK(written("torchrun train.py \\\n  --lr 0.1 \\\n  --epochs 3\n",
                {{"x", "0.1"}, {"y", "train.py"}, {"z", "3"}}, "a.sh") ==
        "# gpulint: ignore[x, y] -- why\ntorchrun train.py \\\n  --lr 0.1 \\\n"
        "  --epochs 3  # gpulint: ignore[z] -- why\n");
  CHECK(written("total = 1 + \\\n    2\n", {{"x", "1"}}, "a.py") ==
        "# gpulint: ignore[x] -- why\ntotal = 1 + \\\n    2\n");
}

TEST_CASE("a suppression in Python stands behind the line of its value") {
  CHECK(written("optimizer = dict(\n    type='SGD',\n    lr=0.1)\n", {{"x", "0.1"}}, "a.py") ==
        "optimizer = dict(\n    type='SGD',\n    lr=0.1)  # gpulint: ignore[x] -- why\n");
}
