#include "cli/disk_reader.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using gpulint::DiskReader;
using gpulint::FileKind;

namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
struct Folder {
  Folder() {
    char pattern[] = "/tmp/gpulint-test-XXXXXX";
    path = mkdtemp(pattern);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  fs::path path;
};

}  // namespace

TEST_CASE("a regular file is read whole, up to the limit") {
  const Folder folder;
  const std::string path = folder.file("a.yaml", "batch_size: 1\n");
  CHECK(*DiskReader().read(path, 14) == "batch_size: 1\n");
  const auto refused = DiskReader().read(path, 13);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().limit);
  CHECK(refused.error().message ==
        "is 14 B, and gpulint reads configs of at most 13 B; is this data rather than a config?");
}

TEST_CASE("an empty file is read as an empty text") {
  const Folder folder;
  CHECK(DiskReader().read(folder.file("a.yaml", ""), 10)->empty());
}

TEST_CASE("pipes, devices and folders are refused without waiting") {
  const Folder folder;
  const std::string pipe = (folder.path / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(DiskReader().read(pipe, 10));
  CHECK_FALSE(DiskReader().read("/dev/zero", 10));
  CHECK(DiskReader().read(folder.path.string(), 10).error().message == "is a folder, not a file");
  CHECK(DiskReader().kind(pipe) == FileKind::other);
}

TEST_CASE("a missing file says so") {
  const auto missing = DiskReader().read("/nowhere/at/all", 10);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().to_string() == "/nowhere/at/all: cannot read: No such file or directory");
}

TEST_CASE("a folder is listed by name, links marked and seen through") {
  const Folder folder;
  folder.file("b", "");
  folder.file("a", "");
  fs::create_directory(folder.path / "d");
  fs::create_symlink("d", folder.path / "c");
  fs::create_symlink("nowhere", folder.path / "e");
  const auto entries = DiskReader().list(folder.path.string());
  REQUIRE(entries);
  REQUIRE(entries->size() == 5);
  CHECK((*entries)[0].name == "a");
  CHECK((*entries)[2] == gpulint::DirectoryEntry{"c", FileKind::directory, true});
  CHECK((*entries)[3] == gpulint::DirectoryEntry{"d", FileKind::directory, false});
  CHECK((*entries)[4] == gpulint::DirectoryEntry{"e", FileKind::missing, true});
  CHECK(DiskReader().canonical((folder.path / "c").string()) ==
        DiskReader().canonical((folder.path / "d").string()));
}
