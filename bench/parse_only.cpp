// parse_only events|read [ROUNDS] < list-of-files
//   events  a bare pass of yaml-cpp's events over every file: the floor that gpulint is compared
//           with. JSON goes through it too, being YAML to yaml-cpp.
//   read    read_document over every file: what the source room costs.
// Files are read into memory first; the fastest round counts. Prints one line:
// files, bytes, files refused, seconds.

#include "source/read.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct File {
  std::string path;
  std::string text;
};

std::vector<File> files_from(std::istream& list) {
  std::vector<File> files;
  for (std::string path; std::getline(list, path);) {
    std::ifstream file(path, std::ios::binary);
    files.push_back({path, {std::istreambuf_iterator<char>(file), {}}});
  }
  return files;
}

class Ignore : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

bool has_events(const File& file) {
  std::istringstream stream(file.text);
  Ignore events;
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) continue;
  } catch (const YAML::Exception&) {
    return false;
  }
  return true;
}

bool is_readable(const File& file, bool verbose) {
  const auto document = gpulint::read_document(file.path, file.text, 0);
  if (!document && verbose) fmt::print(stderr, "{}\n", document.error().to_string());
  return document.has_value();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count > 1 ? arguments[1] : "";
  const int rounds = count > 2 ? std::max(std::atoi(arguments[2]), 1) : 3;
  if (mode != "events" && mode != "read") {
    fmt::print(stderr, "usage: parse_only events|read [ROUNDS] < list-of-files\n");
    return 2;
  }
  const std::vector<File> files = files_from(std::cin);
  std::size_t bytes = 0;
  for (const File& file : files) bytes += file.text.size();
  std::size_t refused = 0;
  double fastest = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    refused = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const File& file : files) {
      const bool usable = mode == "read" ? is_readable(file, round == 0) : has_events(file);
      refused += usable ? 0 : 1;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, seconds.count());
  }
  fmt::print("{}: {} files, {} bytes, {} refused, {:.3f} s\n", mode, files.size(), bytes, refused,
             fastest);
  return 0;
}
