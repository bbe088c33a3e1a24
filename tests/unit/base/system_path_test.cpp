#include "base/system_path.h"

#include "base/text.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("a drive or a share begins an absolute path where systems have such") {
  CHECK(is_absolute("/a"));
  CHECK_FALSE(is_absolute("a/b"));
  CHECK(is_absolute("C:/a") == kHasDrives);
  CHECK(is_absolute("//server/share/a"));
  CHECK(drive_size("C:/a") == (kHasDrives ? 2 : 0));
  CHECK(drive_size("//server/share/a") == (kHasDrives ? 14 : 0));
  CHECK(drive_size("C:a") == 0);  // relative to where that drive stands
  CHECK(with_slashes("a\\b") == (kHasDrives ? "a/b" : "a\\b"));
}

TEST_CASE("what has no folder around it is a root") {
  CHECK(is_root("/"));
  CHECK_FALSE(is_root("/a"));
  CHECK_FALSE(is_root(""));
  CHECK_FALSE(is_root("."));
  CHECK(is_root("C:/") == kHasDrives);
  CHECK_FALSE(is_root("C:/a"));
}

TEST_CASE("paths keep their drive when they are joined and normalised") {
  if (!kHasDrives) return;
  CHECK(normalize_path("C:/a/../../b/./c") == "C:/b/c");
  CHECK(normalize_path("C:") == "C:/");
  CHECK(normalize_path("//server/share/a/..") == "//server/share/");
  CHECK(join_path("C:/a", "b/c") == "C:/a/b/c");
  CHECK(join_path("C:/a", "D:/b") == "D:/b");
  CHECK(join_path("C:/", "b") == "C:/b");
  CHECK(parent_path("C:/a/b") == "C:/a");
  CHECK(parent_path("C:/a") == "C:/");
  CHECK(parent_path("C:/") == "C:/");
  CHECK(parent_path("//server/share/a") == "//server/share/");
  CHECK(file_name("C:/a/b.yaml") == "b.yaml");
}
