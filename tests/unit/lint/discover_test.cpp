#include "lint/lint.h"
#include "unit/lint/memory_reader.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

std::vector<std::string> found(const MemoryReader& reader, const std::vector<std::string>& paths,
                               std::vector<Error>* errors = nullptr) {
  std::vector<Error> own;
  std::vector<std::string> result;
  for (const DiscoveredFile& file : discover(reader, paths, errors ? *errors : own)) {
    result.push_back(file.named ? file.path + " (named)" : file.path);
  }
  return result;
}

using Paths = std::vector<std::string>;
using Files = MemoryReader::Files;

/// An index of git of version 2 or 4 that tracks the paths, which are sorted.
std::string index_of(const Paths& paths, char version = 2) {
  std::string index = {'D', 'I',     'R', 'C', 0, 0,
                       0,   version, 0,   0,   0, static_cast<char>(paths.size())};
  std::string before;
  for (const std::string& path : paths) {
    const std::string fixed(62, '\0');
    index += fixed;
    if (version == 4) {
      std::size_t common = 0;
      while (common < before.size() && before[common] == path[common]) ++common;
      index += static_cast<char>(before.size() - common);
      index += path.substr(common) + '\0';
    } else {
      index += path + std::string(8 - (fixed.size() + path.size()) % 8, '\0');
    }
    before = path;
  }
  return index + std::string(20, 'x');  // the checksum
}

}  // namespace

TEST_CASE("a folder gives its configs, sorted, and nothing else") {
  const MemoryReader reader({{"c/b.yml", ""},
                             {"c/a.yaml", ""},
                             {"c/x/run.env", ""},
                             {"c/x/.env", ""},
                             {"c/d.JSON", ""},
                             {"c/train.sh", ""},
                             {"c/train.py", ""},
                             {"other.yaml", ""}});
  CHECK(found(reader, {"c"}) ==
        Paths{"c/a.yaml", "c/b.yml", "c/d.JSON", "c/train.sh", "c/x/.env", "c/x/run.env"});
}

TEST_CASE("a named file is taken whatever its name, and once") {
  const MemoryReader reader(Files{{"train.sh", ""}, {"a.yaml", ""}});
  CHECK(found(reader, {"train.sh", "./train.sh", ".", "a.yaml"}) ==
        Paths{"a.yaml (named)", "train.sh (named)"});
}

TEST_CASE("settings files and folders that tools fill are not configs") {
  const MemoryReader reader({{".gpulint.yaml", ""},
                             {".gpulint/rules/x/y.yaml", ""},
                             {".git/config.yaml", ""},
                             {"node_modules/a/b.json", ""},
                             {"__pycache__/c.json", ""},
                             {"ok.yaml", ""}});
  CHECK(found(reader, {"."}) == Paths{"ok.yaml"});
}

TEST_CASE("gitignore files hold below their folder, negations included") {
  const MemoryReader reader({{".gitignore", "out/\n*.gen.yaml\n"},
                             {"out/a.yaml", ""},
                             {"a.gen.yaml", ""},
                             {"sub/.gitignore", "!b.gen.yaml\n"},
                             {"sub/b.gen.yaml", ""},
                             {"sub/c.gen.yaml", ""},
                             {"sub/d.yaml", ""}});
  CHECK(found(reader, {"."}) == Paths{"sub/b.gen.yaml", "sub/d.yaml"});
}

TEST_CASE("what git tracks is no less a config because a gitignore names it") {
  for (const char version : {char{2}, char{4}}) {
    const MemoryReader reader(
        {{".git/index", index_of({"README.md", "tools/cfgs/a.yaml", "tools/cfgs/deep/b.yaml",
                                  "tools/x.yaml", "tools/x2.yaml"},
                                 version)},
         {".gitignore", "*.yaml\ntools/cfgs/\n"},
         {"mine.yaml", ""},
         {"tools/cfgs/a.yaml", ""},
         {"tools/cfgs/mine.yaml", ""},
         {"tools/cfgs/deep/b.yaml", ""},
         {"tools/other/mine.yaml", ""},
         {"tools/x.yaml", ""}});
    CHECK(found(reader, {"."}) ==
          Paths{"tools/cfgs/a.yaml", "tools/cfgs/deep/b.yaml", "tools/x.yaml"});
    CHECK(found(reader, {"tools"}) ==
          Paths{"tools/cfgs/a.yaml", "tools/cfgs/deep/b.yaml", "tools/x.yaml"});
  }
}

TEST_CASE("a working tree's index lies where its .git file says") {
  const MemoryReader reader({{"w/.git", "gitdir: ../main/.git/worktrees/w\n"},
                             {"main/.git/worktrees/w/index", index_of({"a.yaml"})},
                             {"w/.gitignore", "*.yaml\n"},
                             {"w/a.yaml", ""},
                             {"w/b.yaml", ""}});
  CHECK(found(reader, {"w"}) == Paths{"w/a.yaml"});
}

TEST_CASE("an index that is cut short or none says what it can") {
  std::string index = index_of({"a.yaml", "b.yaml"});
  index.resize(100);
  for (const std::string& text : {index, std::string("DIRC"), std::string("no index at all")}) {
    const MemoryReader reader(
        {{".git/index", text}, {".gitignore", "b.yaml\n"}, {"a.yaml", ""}, {"b.yaml", ""}});
    CHECK(found(reader, {"."}) == Paths{"a.yaml"});
  }
}

TEST_CASE("a named folder obeys the gitignore of its repository") {
  const MemoryReader reader({{".git/HEAD", ""},
                             {".gitignore", "configs/old/\n"},
                             {"configs/old/a.yaml", ""},
                             {"configs/b.yaml", ""}});
  CHECK(found(reader, {"configs"}) == Paths{"configs/b.yaml"});
  CHECK(found(reader, {"configs/old"}) == Paths{"configs/old/a.yaml"});
  CHECK(found(reader, {"configs/old/a.yaml"}) == Paths{"configs/old/a.yaml (named)"});
}

TEST_CASE("links that lead back do not loop, and a file keeps its real name") {
  const MemoryReader reader({{"c/real/a.yaml", ""}}, {{"c/again", "c/real"}, {"c/real/up", "c"}});
  CHECK(found(reader, {"c"}) == Paths{"c/real/a.yaml"});
}

TEST_CASE("a missing path is an error and the others are still found") {
  const MemoryReader reader(Files{{"a.yaml", ""}});
  std::vector<Error> errors;
  CHECK(found(reader, {"b.yaml", "a.yaml"}, &errors) == Paths{"a.yaml (named)"});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].to_string() == "b.yaml: no such file or folder; check the path");
}
