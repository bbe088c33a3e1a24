#include "finding/fix_diff.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

TEST_CASE("equal texts have no diff") { CHECK(unified_diff("a", "x\n", "x\n") == ""); }

TEST_CASE("a changed line is shown with three lines around it") {
  CHECK(unified_diff("a.yaml", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "--- a.yaml\n+++ a.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes far apart are two hunks, near ones are one") {
  const std::string text = "a\n1\n2\n3\n4\n5\n6\n7\nb\n";
  CHECK(unified_diff("f", text, "A\n1\n2\n3\n4\n5\n6\n7\nB\n") ==
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
  CHECK(unified_diff("f", text, "A\n1\n2\n3\n4\n5\nsix\n7\nb\n") ==
        "--- f\n+++ f\n@@ -1,9 +1,9 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n-6\n+six\n 7\n b\n");
}

TEST_CASE("an inserted and a removed line move what follows") {
  CHECK(unified_diff("f", "a\nb\n", "a\nx\nb\n") == "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n");
  CHECK(unified_diff("f", "a\nx\nb\n", "a\nb\n") == "--- f\n+++ f\n@@ -1,3 +1,2 @@\n a\n-x\n b\n");
  CHECK(unified_diff("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("f", "a\n", "") == "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("a last line without its end says so, and carriage returns stay in their line") {
  CHECK(unified_diff("f", "a\r\nb", "a\r\nc") ==
        "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\n"
        "\\ No newline at end of file\n");
}

TEST_CASE("a name with a line break cannot forge a line of the diff") {
  CHECK(unified_diff("a\nb", "1\n", "2\n").starts_with("--- \"a\\012b\"\n+++ \"a\\012b\"\n@@"));
}
