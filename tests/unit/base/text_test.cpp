#include "base/text.h"

#include <doctest/doctest.h>

#include <array>

using namespace gpulint;

TEST_CASE("the closest candidate is offered only when it is near") {
  constexpr std::array<std::string_view, 3> kWords{"batch_size", "num_workers", "learning_rate"};
  CHECK(closest("bacth_size", kWords) == "batch_size");
  CHECK(closest("num_worker", kWords) == "num_workers");
  CHECK(closest("optimizer", kWords).empty());
  CHECK(did_you_mean("learnng_rate", kWords) == " (did you mean \"learning_rate\"?)");
  CHECK(did_you_mean("zzz", kWords).empty());
}

TEST_CASE("a transposition counts as one edit and distances above the limit are cut") {
  CHECK(edit_distance("ab", "ba", 5) == 1);
  CHECK(edit_distance("kitten", "sitting", 5) == 3);
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("", "abcd", 2) == 3);
}

TEST_CASE("control, bidirectional and broken bytes are escaped and other text is kept") {
  CHECK(escape_for_display("caf\xc3\xa9 \xf0\x9f\x98\x80") == "caf\xc3\xa9 \xf0\x9f\x98\x80");
  CHECK(escape_for_display("a\x1b[31mb\tc") == "a\\x1b[31mb c");
  CHECK(escape_for_display("x\xe2\x80\xae y") == "x\\u{202e} y");
  CHECK(escape_for_display("\xff\xc0\x80") == "\\xff\\xc0\\x80");
  CHECK(escape_for_display("\xc2\x85") == "\\x85");
}

TEST_CASE("the first byte that is not UTF-8 is found") {
  CHECK(first_invalid_utf8("abc \xe2\x82\xac") == std::string_view::npos);
  CHECK(first_invalid_utf8("ab\xed\xa0\x80") == 2);    // surrogate
  CHECK(first_invalid_utf8("abc\xe2\x82") == 3);       // cut off
  CHECK(first_invalid_utf8("\xf5\x80\x80\x80") == 0);  // past U+10FFFF
}

TEST_CASE("lines end at LF, CRLF and CR, and columns count code points") {
  const std::string_view text = "a: 1\r\nb\xc3\xa9: 2\rc: 3\n";
  const LineIndex lines(text);
  CHECK(lines.line_count() == 4);
  CHECK(lines.line(text, 2) == "b\xc3\xa9: 2");
  CHECK(lines.at(text, 0) == LineColumn{1, 1});
  CHECK(lines.at(text, 11) == LineColumn{2, 5});
  CHECK(lines.at(text, 1000) == LineColumn{4, 1});
}

TEST_CASE("a byte order mark has no column") {
  const std::string_view text = "\xef\xbb\xbflr: 1";
  CHECK(LineIndex(text).at(text, 3) == LineColumn{1, 1});
  CHECK(LineIndex(text).at(text, 7) == LineColumn{1, 5});
}

TEST_CASE("paths are normalised without leaving the root") {
  CHECK(normalize_path("a/./b/../c") == "a/c");
  CHECK(normalize_path("./") == ".");
  CHECK(normalize_path("/../a//b/") == "/a/b");
  CHECK(normalize_path("../../x") == "../../x");
  CHECK(join_path("configs", "../base.yaml") == "base.yaml");
  CHECK(join_path("", "x.yaml") == "x.yaml");
  CHECK(parent_path("a/b.yaml") == "a");
  CHECK(parent_path("b.yaml") == "");
  CHECK(extension("x/Y.YAML") == "yaml");
}

TEST_CASE("globs match whole paths") {
  CHECK(glob_match("configs/*.yaml", "configs/a.yaml"));
  CHECK_FALSE(glob_match("configs/*.yaml", "configs/x/a.yaml"));
  CHECK(glob_match("configs/**", "configs/x/a.yaml"));
  CHECK(glob_match("**/a.yaml", "a.yaml"));
  CHECK(glob_match("**/a.yaml", "x/y/a.yaml"));
  CHECK(glob_match("run[0-9]?.json", "run4b.json"));
  CHECK_FALSE(glob_match("run[!0-9].json", "run4.json"));
  CHECK_FALSE(glob_match("[a", "a"));
}

TEST_CASE("a count is followed by its noun, in the plural unless it is one") {
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(24, "rank") == "24 ranks");
  CHECK(counted(0, "file") == "0 files");
  CHECK(counted(1, "batch|batches") == "1 batch");
  CHECK(counted(2, "compute process|compute processes") == "2 compute processes");
  CHECK(counted(2, "entry|entries") == "2 entries");
  CHECK(counted(2, "changed severity|changed severities") == "2 changed severities");
}
