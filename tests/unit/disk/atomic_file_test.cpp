#include "disk/atomic_file.h"

#include "disk/private_folder.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace gpulint;
using namespace gpulint::disk;

namespace {

/// Gone with what is in it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "gpulint-disk-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

long entries_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

constexpr PrivateLimits kLimits{.bytes = 16, .files = 3};

std::string refusal(const std::filesystem::path& folder) {
  const auto files = read_private_folder(folder, ".json", kLimits);
  if (!files) return files.error().message;
  REQUIRE(files->size() == 1);
  return files->front().text ? *files->front().text : files->front().text.error().message;
}

}  // namespace

TEST_CASE("a file is written whole or not at all, and a link in its place is not followed") {
  const Folder root;
  const std::string folder = root.path / "a" / "b";
  REQUIRE(make_folder(folder).has_value());
  CHECK(make_folder(folder).has_value());
  CHECK(mode_of(folder) == 0700);
  std::ofstream(root.path / "victim") << "untouched";
  std::filesystem::create_symlink(root.path / "victim", folder + "/x.json");
  REQUIRE(write_atomically(folder, "x.json", "new", kOwnerOnly).has_value());
  CHECK(content(folder + "/x.json") == "new");
  CHECK(mode_of(folder + "/x.json") == 0600);
  CHECK(content(root.path / "victim") == "untouched");
  CHECK_FALSE(std::filesystem::is_symlink(folder + "/x.json"));
  CHECK_FALSE(make_folder(root.path / "victim").has_value());
  CHECK_FALSE(write_atomically(root.path / "none", "x.json", "new", kOwnerOnly).has_value());
  CHECK(entries_in(folder) == 1);
}

TEST_CASE("a file that never took its name is gone, and what others wrote there stays") {
  const Folder root;
  {
    PendingFile pending(root.path, kOwnerOnly);
    REQUIRE(pending.is_open());
    CHECK(pending.write("half"));
    CHECK(entries_in(root.path) == 1);
  }
  CHECK(entries_in(root.path) == 0);
  PendingFile first(root.path, kOwnerOnly);
  REQUIRE((first.write("whole") && first.finish() && first.take_name(root.path / "x")));
  CHECK(entries_in(root.path) == 1);
  CHECK_FALSE(PendingFile(root.path / "nowhere", kOwnerOnly).is_open());
}

TEST_CASE("a private folder gives its files by name, a missing one none") {
  const Folder root;
  REQUIRE(write_atomically(root.path, "b.json", "two", kOwnerOnly).has_value());
  REQUIRE(write_atomically(root.path, "a.json", "one", kOwnerOnly).has_value());
  REQUIRE(write_atomically(root.path, "c.txt", "no", kOwnerOnly).has_value());
  REQUIRE(write_atomically(root.path, ".d.json", "no", kOwnerOnly).has_value());
  const auto files = read_private_folder(root.path, ".json", kLimits);
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 2);
  CHECK(files->at(0).name == "a.json");
  CHECK(*files->at(0).text == "one");
  CHECK(files->at(1).name == "b.json");
  const auto none = read_private_folder(root.path / "nowhere", ".json", kLimits);
  REQUIRE(none.has_value());
  CHECK(none->empty());
}

TEST_CASE("what another user may write is not read") {
  const Folder root;
  const std::filesystem::path file = root.path / "a.json";
  REQUIRE(write_atomically(root.path, "a.json", "text", kOwnerOnly).has_value());
  CHECK(refusal(root.path) == "text");
  REQUIRE(chmod(file.c_str(), 0622) == 0);
  CHECK(refusal(root.path) == "may be written by other users");
  REQUIRE(chmod(file.c_str(), 0600) == 0);
  REQUIRE(chmod(root.path.c_str(), 0770) == 0);
  CHECK(refusal(root.path) == "may be written by other users");
  REQUIRE(chmod(root.path.c_str(), 0700) == 0);
  if (geteuid() == 0) {  // only root can give a file away
    constexpr uid_t kNobody = 65534;
    REQUIRE(chown(file.c_str(), kNobody, static_cast<gid_t>(-1)) == 0);
    CHECK(refusal(root.path) == "belongs to another user");
    REQUIRE(chown(root.path.c_str(), kNobody, static_cast<gid_t>(-1)) == 0);
    CHECK(refusal(root.path) == "belongs to another user");
  }
}

TEST_CASE("links, FIFOs and large files are not read") {
  const Folder root;
  const std::filesystem::path inside = root.path / "in";
  REQUIRE(make_folder(inside).has_value());
  std::ofstream(root.path / "other") << "text";
  std::filesystem::create_symlink(root.path / "other", inside / "a.json");
  CHECK(refusal(inside) == "is a symbolic link");
  std::filesystem::remove(inside / "a.json");
  REQUIRE(mkfifo((inside / "a.json").c_str(), 0600) == 0);
  CHECK(refusal(inside) == "is not a regular file");
  std::filesystem::remove(inside / "a.json");
  REQUIRE(write_atomically(inside, "a.json", std::string(17, 'x'), kOwnerOnly).has_value());
  CHECK(refusal(inside) == "is larger than 16 bytes");
  std::filesystem::create_symlink(inside, root.path / "link");
  CHECK(refusal(root.path / "link") == "is a symbolic link or no folder");
}
