// Facts of published runs over several files, compared with what a person read in them. The configs
// are not part of the repository: ctest reports the case as skipped unless GPULINT_CORPUS names
// their folder.

#include "lint/lint.h"
#include "plan/fact_table.h"
#include "unit/expected_facts.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace gpulint;
namespace fs = std::filesystem;

namespace {

class FolderReader : public FileReader {
 public:
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    if (!file || text.size() > limit) return fail(Error{.message = "cannot be read", .file = path});
    return text;
  }
  FileKind kind(const std::string& path) const override {
    if (fs::is_regular_file(path)) return FileKind::regular;
    return fs::is_directory(path) ? FileKind::directory : FileKind::missing;
  }
  Result<std::vector<DirectoryEntry>> list(const std::string& folder) const override {
    std::vector<DirectoryEntry> entries;
    if (!fs::is_directory(folder)) return fail(Error{.message = "no folder", .file = folder});
    if (folder == project) return entries;  // named for its root, not to be linted
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string path = entry.path().string();
      entries.push_back({entry.path().filename().string(), kind(path), entry.is_symlink()});
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
  }
  std::string canonical(const std::string& path) const override {
    return fs::weakly_canonical(path).string();
  }

  std::string project;
};

}  // namespace

TEST_CASE("facts of published runs are what a reader finds in their files" *
          doctest::test_suite("published configs")) {
  const char* corpus = std::getenv("GPULINT_CORPUS");
  if (corpus == nullptr) {
    MESSAGE("skipped: set GPULINT_CORPUS to the folder of the configs");
    return;
  }
  FolderReader reader;
  const auto expected =
      test::expected_facts(std::string(GPULINT_SOURCE_DIR) + "/tests/fixtures/facts/runs");
  CHECK(expected.size() >= 10);
  for (const auto& [path, facts] : expected) {
    // The project's folder is named too, so that references may reach all of it.
    const std::string whole = std::string(corpus) + "/" + path;
    const std::string project = whole.substr(0, whole.find('/', std::string(corpus).size() + 1));
    reader.project = project;
    LintRequest request;
    request.paths = {whole, project};
    request.options.keep_plans = true;
    const LintResult result = lint(session_over(reader), request);
    REQUIRE_MESSAGE(result.files.size() == 1, path);
    const FileReport& file = result.files.front();
    REQUIRE_MESSAGE(file.plans.size() == 1, path);
    for (const auto& [fact, value] : facts) {
      const std::string actual = fact == "dialect"
                                     ? file.dialect
                                     : canonical_text(file.plans[0].plan->facts, *find_fact(fact));
      const std::string place = path + ": " + fact + " is " + actual;
      CHECK_MESSAGE(actual == (value == "?" ? "" : value), place);
    }
  }
}
