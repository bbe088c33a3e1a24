// Configs written for this project in the words of each framework: tests/corpus/<dialect>/, and
// what a reader who knows the framework's documentation finds in them, in expected.txt of each
// folder. A line at the margin names a file; the lines below it are `fact = value`, and "?" = must
// be unknown.

#include "plan/fact_table.h"
#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace gpulint;

namespace {

struct CorpusConfig {
  std::string dialect;
  std::string path;  // below tests/corpus
  std::string text;
  std::map<std::string, std::string> facts;
};

std::string corpus_folder() { return std::string(GPULINT_SOURCE_DIR) + "/tests/corpus"; }

std::vector<CorpusConfig> configs_of(const std::string& dialect) {
  std::vector<CorpusConfig> configs;
  std::istringstream lines(read_text(corpus_folder() + "/" + dialect + "/expected.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() != ' ') {
      const std::string path = dialect + "/" + line;
      configs.push_back({dialect, path, read_text(corpus_folder() + "/" + path), {}});
      continue;
    }
    const std::size_t equals = line.find(" = ");
    REQUIRE_MESSAGE(equals != std::string::npos, line);
    REQUIRE_MESSAGE(!configs.empty(), line);
    configs.back().facts.emplace(line.substr(2, equals - 2), line.substr(equals + 3));
  }
  return configs;
}

std::vector<CorpusConfig> corpus() {
  std::vector<CorpusConfig> configs;
  for (const Dialect& dialect : shipped_dialects()) {
    if (dialect.foreign) continue;
    for (CorpusConfig& config : configs_of(dialect.id)) configs.push_back(std::move(config));
  }
  return configs;
}

/// Files named in the first column of a table of published facts, with the dialect of those that
/// state one.
void add_published(const std::string& table, const std::string& dialect,
                   std::map<std::string, std::set<std::string>>& files) {
  std::istringstream lines(read_text(table));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const std::size_t next = line.find('\t', tab + 1);
    REQUIRE_MESSAGE(next != std::string::npos, line);
    const std::string path = line.substr(0, tab);
    if (!dialect.empty()) files[dialect].insert(path);
    if (dialect.empty() && line.substr(tab + 1, next - tab - 1) == "dialect") {
      files[line.substr(next + 1)].insert(path);
    }
  }
}

/// Paths of the published files whose facts were judged, per dialect.
std::map<std::string, std::set<std::string>> published_files() {
  const std::string facts = std::string(GPULINT_SOURCE_DIR) + "/tests/fixtures/facts";
  std::map<std::string, std::set<std::string>> files;
  for (const auto& entry : std::filesystem::directory_iterator(facts)) {
    if (entry.path().extension() == ".tsv") {
      add_published(entry.path().string(), entry.path().stem().string(), files);
    }
  }
  add_published(facts + "/runs/runs.tsv", "", files);
  return files;
}

}  // namespace

TEST_CASE("docs/dialects.md says with how many files each dialect is checked") {
  const std::string page = read_text(std::string(GPULINT_SOURCE_DIR) + "/docs/dialects.md");
  std::map<std::string, std::set<std::string>> published = published_files();
  for (const Dialect& dialect : shipped_dialects()) {
    if (dialect.foreign) continue;
    const std::string row = "| " + dialect.id + " | " +
                            std::to_string(published[dialect.id].size()) + " | " +
                            std::to_string(configs_of(dialect.id).size()) + " |\n";
    CHECK_MESSAGE(page.find(row) != std::string::npos, row);
  }
}

TEST_CASE("every dialect has at least two configs in the corpus, and each is described") {
  for (const Dialect& dialect : shipped_dialects()) {
    if (dialect.foreign) continue;
    std::size_t files = 0;
    const std::filesystem::path folder = corpus_folder() + "/" + dialect.id;
    REQUIRE_MESSAGE(std::filesystem::is_directory(folder), dialect.id);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename() != "expected.txt") ++files;
    }
    CHECK_MESSAGE(files >= 2, dialect.id);
    CHECK_MESSAGE(files == configs_of(dialect.id).size(), dialect.id);
  }
}

TEST_CASE("configs of the corpus are recognised as what they were written for") {
  for (const CorpusConfig& config : corpus()) {
    const Document document = document_of(config.text, config.path);
    const Recognition recognition = recognised(document);
    const std::string found = recognition.dialect == nullptr ? "" : recognition.dialect->id;
    CHECK_MESSAGE(found == config.dialect, config.path);
  }
}

TEST_CASE("facts of the corpus are what a reader finds in its configs") {
  for (const CorpusConfig& config : corpus()) {
    const Facts found = facts_of(config.text, config.path);
    for (const auto& [fact, value] : config.facts) {
      const std::string actual = found[fact];
      const std::string place = config.path + ": " + fact + " is " + actual;
      CHECK_MESSAGE(actual == (value == "?" ? "" : value), place);
    }
  }
}

TEST_CASE("no fact is read from a config of the corpus that its reader does not find there") {
  for (const CorpusConfig& config : corpus()) {
    const Facts found = facts_of(config.text, config.path);
    for (const FactRow& row : fact_table()) {
      if (found.origin(row.name) != "stated") continue;
      const std::string place =
          config.path + ": " + std::string(row.name) + " = " + found[row.name];
      CHECK_MESSAGE(config.facts.count(std::string(row.name)) == 1, place);
    }
  }
}
