#include "base/ignore_rules.h"

#include <doctest/doctest.h>

using gpulint::IgnoreFile;
using gpulint::IgnoreScope;
using gpulint::is_ignored;
using Verdict = gpulint::IgnoreFile::Verdict;

TEST_CASE("a pattern without a slash matches at any depth") {
  const IgnoreFile file("", "*.local.yaml\n");
  CHECK(file.judge("a.local.yaml", false) == Verdict::ignored);
  CHECK(file.judge("deep/er/a.local.yaml", false) == Verdict::ignored);
  CHECK(file.judge("a.yaml", false) == Verdict::none);
}

TEST_CASE("a pattern with a slash is anchored at its folder") {
  const IgnoreFile file("proj", "/out\nsub/x.yaml\n");
  CHECK(file.judge("proj/out", true) == Verdict::ignored);
  CHECK(file.judge("proj/a/out", true) == Verdict::none);
  CHECK(file.judge("proj/sub/x.yaml", false) == Verdict::ignored);
  CHECK(file.judge("proj/a/sub/x.yaml", false) == Verdict::none);
}

TEST_CASE("a trailing slash matches folders only") {
  const IgnoreFile file("", "runs/\n");
  CHECK(file.judge("runs", true) == Verdict::ignored);
  CHECK(file.judge("runs", false) == Verdict::none);
}

TEST_CASE("the last matching pattern wins, so a negation brings a file back") {
  const IgnoreFile file("", "*.yaml\n!train.yaml\n");
  CHECK(file.judge("a.yaml", false) == Verdict::ignored);
  CHECK(file.judge("train.yaml", false) == Verdict::kept);
}

TEST_CASE("comments, blank lines, escapes and trailing blanks are read as git reads them") {
  const IgnoreFile file("", "# note\r\n\r\n\\#odd.yaml\r\n\\!odd.yaml\nx.yaml   \n");
  CHECK(file.judge("#odd.yaml", false) == Verdict::ignored);
  CHECK(file.judge("!odd.yaml", false) == Verdict::ignored);
  CHECK(file.judge("x.yaml", false) == Verdict::ignored);
  CHECK(file.judge("note", false) == Verdict::none);
}

TEST_CASE("two stars cross folders") {
  const IgnoreFile file("", "**/generated/*.json\nlogs/**\n");
  CHECK(file.judge("a/b/generated/c.json", false) == Verdict::ignored);
  CHECK(file.judge("generated/c.json", false) == Verdict::ignored);
  CHECK(file.judge("logs/x/y.yaml", false) == Verdict::ignored);
}

TEST_CASE("an inner .gitignore overrules an outer one") {
  const IgnoreScope outer{nullptr, IgnoreFile("", "*.yaml\n")};
  const IgnoreScope inner{&outer, IgnoreFile("a", "!keep.yaml\n")};
  CHECK_FALSE(is_ignored(&inner, "a/keep.yaml", false));
  CHECK(is_ignored(&inner, "a/other.yaml", false));
  CHECK_FALSE(is_ignored(nullptr, "a.yaml", false));
}
