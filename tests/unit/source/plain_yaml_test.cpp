#include "source/plain_yaml.h"

#include "unit/source/same_tree.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

std::optional<Document> read_plainly(const std::string& text) {
  TreeBuilder builder(text, {});
  if (!read_plain_yaml(text, builder)) return std::nullopt;
  return builder.finish("a.yaml", text, Format::yaml, 0);
}

bool as_the_library_reads(const Document& document, const std::string& text) {
  const Result<Document> whole = read_whole_yaml("a.yaml", text, 0, {});
  return whole && same_tree(document, *whole);
}

/// A text with one to three small accidents in it.
std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kCharacters = " \n\n  ::--#,[]{}'\"?ab1~.&*!|>%\t\\";
  for (std::size_t left = 1 + random() % 3; left > 0 && !text.empty(); --left) {
    const std::size_t at = random() % text.size();
    const char c = kCharacters[random() % kCharacters.size()];
    switch (random() % 4) {
      case 0:
        text.erase(at, 1 + random() % 4);
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      case 2:
        text[at] = c;
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), 1 + random() % 12));
    }
  }
  return text;
}

std::string read_all(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

}  // namespace

TEST_CASE("what most configs are written in is read without yaml-cpp, and to the same tree") {
  for (const std::string text : {
           "",
           "# nothing but a comment\n",
           "---\na: 1\n",
           "a: 1\nb:\n  c: two words   # note\n  d: http://x:80/y#z\ne:\nf: ~\n",
           "a:\n- 1\n- b: 2\n  c: 3\n-\n- - x\n  - y\nd: null",
           "a:\n  - 'it''s'\n  - \"x\\n\\\"y\\\"\"\n  - \"\"\n\"k\": v\nspaced : w\n",
           "a: [1, -2, 'x', [y], {z: 1}, ]\nb: {c: 1, 'd': [2],\n    # why\n    e: f}\n",
           "{a: 1, b: [2]}\n",
           "a: &x\n  b: &y 1\nc:\n  <<: *x\n  d: *y\ne: !ref <a>\nf: !!float 1\ng: "
           "!new:torch.nn.ReLU\n",
           "a: !PLACEHOLDER # say which\nb:\n  !Dataset\n    c: 1\nd: &e\nf: 1\n",
           "a: |\n  one\n   two\n\n  three\nb: |-\n    x\nc: ???\nd: :4096:8\n",
           "a: 1\na: 2\n",
       }) {
    CAPTURE(text);
    const std::optional<Document> document = read_plainly(text);
    REQUIRE(document.has_value());
    CHECK(as_the_library_reads(*document, text));
  }
}

TEST_CASE("what is unusual, ambiguous or broken is left to yaml-cpp") {
  for (const std::string text : {
           "just text\n",      "a: 1\n---\nb: 2\n", "a: one\n  two\n", "a: 'one\n  two'\n",
           "a: >\n  folded\n", "a: |2\n   x\n",     "a:\t1\n",         "a: 1\r\nb: 2\r\n",
           "a: b: c\n",        "a: 1\n  b: 2\n",    "  a: 1\n b: 2\n", "a: - 1\n",
           "a: [1, 2\n",       "a: [b: 1]\n",       "a: {b}\n",        "a: *nowhere\n",
           "a: &x [*x]\n",     "&x a: 1\n",         "? a\n: 1\n",      "a: \"\\x41\"\n",
           "a: %x\n",          "a: 'x'y\n",         "a: 1\n ",         "...\n",
       }) {
    CAPTURE(text);
    CHECK_FALSE(read_plainly(text).has_value());
  }
}

TEST_CASE("no accident in a config makes the two readers disagree") {
  std::mt19937 random(20);  // NOLINT: the same accidents in every run
  std::size_t files = 0;
  std::size_t plain = 0;
  std::size_t tried = 0;
  const std::filesystem::path folder = std::filesystem::path(GPULINT_SOURCE_DIR) / "tests/corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string whole = read_all(entry.path());
    ++files;
    for (int accident = 0; accident <= 60; ++accident) {
      const std::string text = accident == 0 ? whole : damaged(whole, random);
      if (!check_text("a.yaml", text, 0, {})) continue;
      const std::optional<Document> document = read_plainly(text);
      if (accident == 0 && document) ++plain;
      if (!document) continue;
      ++tried;
      CAPTURE(entry.path().string());
      CAPTURE(text);
      REQUIRE(as_the_library_reads(*document, text));
    }
  }
  CHECK(plain * 10 >= files * 9);
  CHECK(tried > files * 10);
}
