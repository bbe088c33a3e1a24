#include "host/disk_read.h"

#include "host/data_files.h"
#include "unit/host/kernel_tree.h"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

HostReport disk_report(const DiskWork& work) {
  HostReport report;
  run_part({"disk", std::chrono::seconds(20),
            [&](const PartWriter& writer) { measure_disk(work, writer); }},
           report);
  return report;
}

std::size_t entries_of(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("regular files below a data path are found, nothing else is") {
  KernelTree tree;
  tree.file("a/one.jpg", "x");
  tree.file("a/b/two.png", "yy");
  tree.file("a/empty.png", "");
  tree.file(".hidden/three.png", "z");
  REQUIRE(symlink("/etc", (tree.root() + "/link").c_str()) == 0);
  REQUIRE(mkfifo((tree.root() + "/pipe").c_str(), 0600) == 0);
  const auto files = find_data_files(tree.root());
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].path == tree.root() + "/a/b/two.png");
  CHECK((*files)[1].path == tree.root() + "/a/one.jpg");
}

TEST_CASE("a walk through a data path ends at its limits") {
  KernelTree tree;
  for (int i = 0; i < 20; ++i) tree.file(fmt::format("{:02}.jpg", i), "x");
  tree.file("d/e/deep.jpg", "x");
  CHECK(find_data_files(tree.root(), {.entries = 5, .depth = 6})->size() <= 5);
  CHECK(find_data_files(tree.root(), {.entries = 100, .depth = 1})->size() == 20);
  CHECK(find_data_files(tree.root(), {.entries = 100, .depth = 2})->size() == 21);
}

TEST_CASE("a data path that is not there, or is a device, is an error") {
  CHECK(find_data_files("/nonexistent/data").error().message ==
        "/nonexistent/data: No such file or directory");
  CHECK(find_data_files("/dev/null").error().message ==
        "/dev/null: neither a folder nor a regular file");
}

TEST_CASE("a pipe or a symbolic link is never opened as data") {
  KernelTree tree;
  REQUIRE(mkfifo((tree.root() + "/pipe").c_str(), 0600) == 0);
  REQUIRE(symlink("/etc/hostname", (tree.root() + "/link").c_str()) == 0);
  CHECK_FALSE(open_data_file(tree.root() + "/pipe").is_open());
  CHECK_FALSE(open_data_file(tree.root() + "/link").is_open());
  CHECK_FALSE(open_data_file("/dev/zero").is_open());
}

TEST_CASE("a temporary file has no name and holds what was asked for") {
  const KernelTree tree;
  const auto file = temporary_file(tree.root(), 3'000'000, 1);
  REQUIRE(file.has_value());
  CHECK(entries_of(tree.root()) == 0);
  struct stat status {};
  REQUIRE(fstat(file->number(), &status) == 0);
  CHECK(status.st_size == 3'000'000);
  CHECK(status.st_nlink == 0);
}

TEST_CASE("without a data path nothing is read, and nothing is written without leave") {
  CHECK(disk_report({}).not_measured ==
        std::vector<std::string>{"disk: no data path is known, name one with --data-path"});
  const KernelTree tree;
  const HostReport report = disk_report({.paths = {tree.root()}, .may_write = false});
  CHECK(report.figures.empty());
  CHECK(report.not_measured.size() == 2);
  CHECK(entries_of(tree.root()) == 0);
}

TEST_CASE("small files of the data path are read cold where the kernel drops them, and warm") {
  KernelTree tree;
  for (int i = 0; i < 40; ++i) tree.file(fmt::format("{:02}.bin", i), std::string(10'000, 'x'));
  const HostReport report = disk_report({.paths = {tree.root()}, .may_write = false});
  const Figure* warm = find_figure(report, FigureKind::small_files_warm);
  REQUIRE(warm != nullptr);
  CHECK(warm->samples == 5);
  CHECK(warm->source == "40 files of the data path, 10.0 kB each");
  CHECK(entries_of(tree.root()) == 40);
}
