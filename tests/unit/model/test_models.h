#pragma once

#include "model/footprint.h"
#include "source/read.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace gpulint::model {

/// All files of model_db, read from the source tree; parse errors end the test program.
inline const std::vector<DataFile>& model_files() {
  static const std::vector<DataFile> files = [] {
    const std::filesystem::path root = std::filesystem::path(GPULINT_SOURCE_DIR) / "model_db";
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<DataFile> result;
    for (const auto& path : paths) {
      std::ifstream in(path, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(in), {}};
      const std::string name = "model_db/" + std::filesystem::relative(path, root).string();
      Result<Document> document = read_yaml(name, std::move(text), 0);
      if (!document) throw std::runtime_error(document.error().to_string());
      result.push_back({name, std::move(*document)});
    }
    return result;
  }();
  return files;
}

using Dimensions = std::map<std::string, expr::Value>;

/// Whole numbers of dimensions: 64_n.
constexpr std::int64_t operator""_n(unsigned long long value) {
  return static_cast<std::int64_t>(value);
}

/// A program written in a test.
inline Result<Program> program_of(std::string text) {
  Result<Document> document = read_yaml("model_db/families/test.yaml", std::move(text), 0);
  if (!document) return fail(document.error());
  return compile_program(*document);
}

}  // namespace gpulint::model
