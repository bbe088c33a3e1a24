#include "finding/suppression.h"

#include "source/read.h"

#include <doctest/doctest.h>

namespace suppression_test {

using namespace gpulint;

namespace {

constexpr FileId kFile = 3;

struct Read {
  std::string text;
  std::vector<Suppression> found;

  /// The bytes of a span.
  std::string at(SourceSpan span) const { return text.substr(span.begin, span.end - span.begin); }
  /// True when suppression `which` reaches the first `word` of the text.
  bool reaches(std::string_view word, std::size_t which = 0) const {
    const auto begin = static_cast<std::uint32_t>(text.find(word));
    return found.at(which).reaches({kFile, begin, begin + static_cast<std::uint32_t>(word.size())});
  }
  std::string without(std::size_t which = 0) const {
    const SourceSpan& gone = found.at(which).removed;
    return text.substr(0, gone.begin) + text.substr(gone.end);
  }
};

Read read(const std::string& text, const std::string& path = "a.yaml") {
  const auto document = read_document(path, text, kFile);
  REQUIRE(document);
  return {text, read_suppressions(*document)};
}

}  // namespace

TEST_CASE("a comment behind an entry covers what begins on its line, and nothing else") {
  const Read file = read("lr: 0.1  # gpulint: ignore[number-read-as-string]\nbatch: 32\n");
  REQUIRE(file.found.size() == 1);
  CHECK(file.found[0].rules == std::vector<std::string>{"number-read-as-string"});
  CHECK(file.reaches("0.1"));
  CHECK(file.reaches("lr"));
  CHECK_FALSE(file.reaches("32"));
  CHECK(file.at(file.found[0].span) == "gpulint: ignore[number-read-as-string]");
}

TEST_CASE("rules, date and reason are read in any spacing") {
  const Read file =
      read("a: 1 #gpulint:ignore[ x , y-z ]  until=2027-01-31   --  see #12 -- later\n");
  REQUIRE(file.found.size() == 1);
  const Suppression& one = file.found[0];
  CHECK(one.mistake == "");
  CHECK(one.rules == std::vector<std::string>{"x", "y-z"});
  REQUIRE(one.until);
  CHECK(to_string(*one.until) == "2027-01-31");
  CHECK(one.reason == "see #12 -- later");
  CHECK(file.at(one.list) == " x , y-z ");
}

TEST_CASE("a suppression counts through its last day and no longer") {
  const Read file = read("a: 1  # gpulint: ignore[x] until=2027-01-31\n");
  CHECK_FALSE(file.found[0].expired(date_from("2027-01-31")));
  CHECK(file.found[0].expired(date_from("2027-02-01")));
  CHECK_FALSE(file.found[0].expired(std::nullopt));
}

TEST_CASE("dates that do not exist are not dates") {
  CHECK(date_from("2028-02-29"));
  CHECK_FALSE(date_from("2027-02-29"));
  CHECK_FALSE(date_from("2027-1-31"));
  CHECK_FALSE(date_from("31-01-2027"));
  CHECK_FALSE(date_from("2027-01-31 "));
  CHECK_FALSE(date_from(""));
}

TEST_CASE("a comment above an entry covers the entry with all below it") {
  const Read file = read(
      "model: a\n"
      "# gpulint: ignore[x] -- why\n"
      "data:\n"
      "  workers: 0\n"
      "  loader:\n"
      "    prefetch: 9\n"
      "seed: 1\n");
  REQUIRE(file.found.size() == 1);
  CHECK(file.reaches("data"));
  CHECK(file.reaches("workers: 0"));
  CHECK(file.reaches("9"));
  CHECK_FALSE(file.reaches("seed"));
  CHECK_FALSE(file.reaches("model"));
}

TEST_CASE("a comment above the first entry of a mapping covers that entry alone") {
  const Read top = read("# a licence\n# gpulint: ignore[x]\n\n---\nlr: 1\nbatch: 2\n");
  CHECK(top.reaches("lr"));
  CHECK_FALSE(top.reaches("batch"));
  const Read inner = read("data:\n  # gpulint: ignore[x]\n  workers: 0\n  pin: 5\n");
  CHECK(inner.reaches("0"));
  CHECK_FALSE(inner.reaches("pin"));
}

TEST_CASE("a comment above an item covers the whole item") {
  const Read file = read(
      "stages:\n"
      "  # gpulint: ignore[x]\n"
      "  - lr: 1\n"
      "    batch: 2\n"
      "  # gpulint: ignore[y]\n"
      "  - lr: 3\n"
      "    batch: 4\n");
  REQUIRE(file.found.size() == 2);
  CHECK(file.reaches("lr: 1", 0));
  CHECK(file.reaches("batch: 2", 0));
  CHECK_FALSE(file.reaches("lr: 3", 0));
  CHECK(file.reaches("lr: 3", 1));
  CHECK(file.reaches("batch: 4", 1));
  CHECK_FALSE(file.reaches("lr: 1", 1));
}

TEST_CASE("comments above one another hold for the same entry") {
  const Read file = read("# gpulint: ignore[x]\n# gpulint: ignore[y]\nlr: 1\nb: 2\n");
  REQUIRE(file.found.size() == 2);
  CHECK(file.reaches("lr", 0));
  CHECK(file.reaches("lr", 1));
}

TEST_CASE("file-ignore covers the file, findings about all of it included") {
  const Read file = read("lr: 1\n# gpulint: file-ignore[x]\n");
  REQUIRE(file.found.size() == 1);
  CHECK(file.found[0].reaches({kFile, 0, 0}));
  CHECK(file.reaches("lr"));
  CHECK_FALSE(file.found[0].reaches({kFile + 1, 0, 0}));
}

TEST_CASE("a suppression may follow other words in a comment") {
  const Read file = read("lr: 1  # tuned  # gpulint: ignore[x] -- why\n");
  REQUIRE(file.found.size() == 1);
  CHECK(file.found[0].mistake == "");
  CHECK(file.without() == "lr: 1  # tuned\n");
}

TEST_CASE("words inside strings are not a suppression") {
  CHECK(read("a: '# gpulint: ignore[x]'\nb: |\n  # gpulint: ignore[x]\n").found.empty());
  CHECK(read("a: 1 # see gpulint: ignore[x]\n").found.empty());
}

TEST_CASE("a suppression that cannot be read says why and reaches nothing") {
  const auto mistake = [](const std::string& words) {
    const Read file = read("lr: 1  # gpulint: " + words + "\n");
    CHECK_FALSE(file.reaches("lr"));
    return file.found.at(0).mistake;
  };
  CHECK(mistake("ignore") == "name the rules to ignore, as in ignore[amp-disabled]");
  CHECK(mistake("ignore[]") == "ignore[] names no rule");
  CHECK(mistake("ignore[x") == "the list of rules has no closing bracket");
  CHECK(mistake("ignor[x]") ==
        "\"ignor\" is not a suppression (did you mean \"ignore\"?); write ignore[rule] or "
        "file-ignore[rule]");
  CHECK(mistake("ignore[x] until=soon") == "until=\"soon\" is not a date; write until=2027-01-31");
  CHECK(mistake("ignore[x] because") == "\"because\" is not understood here; a reason follows --");
}

TEST_CASE("removing a comment leaves nothing of it") {
  CHECK(read("a: 1\r\n  # gpulint: ignore[x]\r\nb: 2\r\n").without() == "a: 1\r\nb: 2\r\n");
  CHECK(read("a: 1   # gpulint: ignore[x] -- r\nb: 2\n").without() == "a: 1\nb: 2\n");
  CHECK(read("a: 1\n# gpulint: ignore[x]").without() == "a: 1\n");
}

TEST_CASE("in JSON a key holds suppressions for its object") {
  const Read file =
      read("{\"a\": {\"//gpulint\": \"ignore[x] -- why\", \"b\": 1}, \"c\": 2}", "a.json");
  REQUIRE(file.found.size() == 1);
  CHECK(file.found[0].mistake == "");
  CHECK(file.found[0].reason == "why");
  CHECK(file.found[0].pointer == "/a/~1~1gpulint");
  CHECK(file.reaches("1"));
  CHECK_FALSE(file.reaches("2"));
  CHECK(file.at(file.found[0].list) == "x");
  CHECK(file.at(file.found[0].span) == "ignore[x] -- why");
  CHECK(file.without() == "{\"a\": {\"b\": 1}, \"c\": 2}");
}

TEST_CASE("a list under the JSON key holds several suppressions, each removable") {
  const Read file = read(
      "{\"b\": 1, \"//gpulint\": [\"file-ignore[x]\", \"ignore[y] until=2027-01-31\"]}", "a.json");
  REQUIRE(file.found.size() == 2);
  CHECK(file.found[0].whole_file);
  CHECK(file.found[1].until);
  CHECK(file.without(0) == "{\"b\": 1, \"//gpulint\": [\"ignore[y] until=2027-01-31\"]}");
  CHECK(file.without(1) == "{\"b\": 1, \"//gpulint\": [\"file-ignore[x]\"]}");
}

TEST_CASE("the last and the only member of an object can be removed") {
  CHECK(read("{\"b\": 1, \"//gpulint\": \"ignore[x]\"}", "a.json").without() == "{\"b\": 1}");
  CHECK(read("{\"//gpulint\": \"ignore[x]\"}", "a.json").without() == "{}");
}

TEST_CASE("JSON with comments takes them too") {
  const Read file = read(
      "{\n  // gpulint: ignore[x]\n  \"a\": 1, /* gpulint: ignore[y] */\n  \"b\": 2\n}", "a.json");
  REQUIRE(file.found.size() == 2);
  CHECK(file.reaches("1", 0));
  CHECK_FALSE(file.reaches("2", 0));
  CHECK(file.found[1].mistake == "");
  CHECK(file.reaches("1", 1));
}

TEST_CASE("the key of JSON means nothing in YAML") {
  CHECK(read("\"//gpulint\": \"ignore[x]\"\nlr: 1\n").found.empty());
}

TEST_CASE("env files take comments") {
  const Read file = read("# gpulint: ignore[x]\nLR=1\nB=2\n", "a.env");
  REQUIRE(file.found.size() == 1);
  CHECK(file.reaches("1"));
  CHECK_FALSE(file.reaches("2"));
}

TEST_CASE("a comment in Python covers the statement, argument or member below it") {
  const std::string text =
      "# gpulint: ignore[a]\n"
      "model = dict(\n"
      "    type='UNet', depth=4)\n"
      "optimizer = dict(\n"
      "    type='SGD',\n"
      "    # gpulint: ignore[b]\n"
      "    lr=0.1,\n"
      "    momentum=0.9)\n"
      "data = {\n"
      "    # gpulint: ignore[c]\n"
      "    'workers': [1,\n"
      "                2],\n"
      "    'rows': 8}\n"
      "# gpulint: ignore[d]\n"
      "def get():\n"
      "    epochs = 3\n"
      "steps = 10\n";
  const Read file = read(text, "a.py");
  REQUIRE(file.found.size() == 4);
  CHECK(file.at(file.found[0].covers) == "model = dict(\n    type='UNet', depth=4)");
  CHECK(file.at(file.found[1].covers) == "lr=0.1");
  CHECK(file.at(file.found[2].covers) == "'workers': [1,\n                2]");
  CHECK(file.reaches("epochs", 3));
  CHECK_FALSE(file.reaches("steps", 3));
}

TEST_CASE("a comment above a decorated class in Python covers all of it") {
  const Read file = read(
      "# gpulint: ignore[a]\n@register\n@dataclass\nclass Config:\n    rows: int = 8\nlast = 1\n",
      "a.py");
  CHECK(file.reaches("8"));
  CHECK_FALSE(file.reaches("last"));
}

TEST_CASE("a comment behind a value in Python covers its line, and words in strings are none") {
  const Read file = read("lr = 0.1  # gpulint: ignore[a]\nname = '# gpulint: ignore[b]'\n", "a.py");
  REQUIRE(file.found.size() == 1);
  CHECK(file.reaches("0.1"));
  CHECK_FALSE(file.reaches("name"));
}

TEST_CASE("a comment above a command of a script covers all its lines") {
  const Read file = read("# gpulint: ignore[a]\nexport A=1 \\\n  B=2\nexport C=3\n", "a.sh");
  CHECK(file.reaches("B=2"));
  CHECK_FALSE(file.reaches("C=3"));
}

}  // namespace suppression_test
