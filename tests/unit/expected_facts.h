#pragma once

// Facts that a person read in published configs: tests/fixtures/facts/*.tsv, a line of which is
// path, fact and value; "?" = must be unknown, and the fact `dialect` is the dialect's id.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::test {

/// Path of a config -> facts and their values.
using ExpectedFacts = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

/// Of all tables right below a folder.
inline ExpectedFacts expected_facts(const std::filesystem::path& folder) {
  ExpectedFacts expected;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tsv") continue;
    std::ifstream lines(entry.path());
    std::string path;
    std::string fact;
    std::string value;
    while (std::getline(lines, path, '\t') && std::getline(lines, fact, '\t') &&
           std::getline(lines, value)) {
      expected[path].emplace_back(fact, value);
    }
  }
  return expected;
}

}  // namespace gpulint::test
