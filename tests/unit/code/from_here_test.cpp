#include "code/from_here.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpulint;

namespace {

/// Nothing but a working directory.
class Here : public FileReader {
 public:
  explicit Here(std::string folder) : folder_(std::move(folder)) {}
  Result<std::string> read(const std::string& path, std::size_t) const override {
    return fail(Error{.message = "no such file", .file = path});
  }
  FileKind kind(const std::string&) const override { return FileKind::missing; }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) const override {
    return fail(Error{.message = "no such folder", .file = path});
  }
  std::string canonical(const std::string& path) const override {
    return path == "." ? folder_ : path;
  }

 private:
  std::string folder_;
};

}  // namespace

TEST_CASE("a file above the working directory has one name, whichever way round it is met") {
  const Here reader("/a/b/c");
  CHECK(from_here(reader, "x.py") == "x.py");
  CHECK(from_here(reader, "../c/x.py") == "x.py");
  CHECK(from_here(reader, "../../b/c/d/x.py") == "d/x.py");
  CHECK(from_here(reader, "../../b/x.py") == "../x.py");
  CHECK(from_here(reader, "../../e/x.py") == "../../e/x.py");
  CHECK(from_here(reader, "../cx/x.py") == "../cx/x.py");
  CHECK(from_here(reader, "../../../../x.py") == "../../../../x.py");
  CHECK(from_here(reader, "/a/x.py") == "/a/x.py");
}
