// gpulint_embed SOURCE_ROOT OUTPUT: reads the data folders below SOURCE_ROOT through the strict
// loaders and writes them as one blob. Every error is printed as file:line:column: message and
// fails the build.

#include "base/file_reader.h"
#include "catalog/blob.h"
#include "catalog/catalog.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;

gpulint::FileKind kind_of(const fs::file_status& status) {
  if (!fs::exists(status)) return gpulint::FileKind::missing;
  if (fs::is_directory(status)) return gpulint::FileKind::directory;
  return fs::is_regular_file(status) ? gpulint::FileKind::regular : gpulint::FileKind::other;
}

/// The disk as the build sees it.
class BuildDisk final : public gpulint::FileReader {
 public:
  gpulint::Result<std::string> read(const std::string& path, std::size_t limit) const override {
    std::ifstream in(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (!in) return gpulint::fail(gpulint::Error{"cannot be read", path});
    if (text.size() > limit) return gpulint::fail(gpulint::Error{"is too large", path});
    return text;
  }

  gpulint::FileKind kind(const std::string& path) const override {
    std::error_code error;
    return kind_of(fs::status(path, error));
  }

  gpulint::Result<std::vector<gpulint::DirectoryEntry>> list(
      const std::string& directory) const override {
    std::error_code error;
    std::vector<gpulint::DirectoryEntry> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
      std::error_code entry_error;
      entries.push_back({entry.path().filename().string(), kind_of(entry.status(entry_error)),
                         entry.is_symlink(entry_error)});
    }
    if (error) return gpulint::fail(gpulint::Error{error.message(), directory});
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
  }

  std::string canonical(const std::string& path) const override { return path; }
};

int report(const gpulint::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return 1;
}

int embed(const std::string& root, const std::string& output) {
  gpulint::Result<std::vector<gpulint::DataFile>> files =
      gpulint::read_data_folder(BuildDisk(), root);
  if (!files) return report(files.error());
  const std::string blob = gpulint::write_blob(*files);
  const gpulint::Result<gpulint::Catalog> catalog =
      gpulint::Catalog::open(std::move(files).value());
  if (!catalog) return report(catalog.error());
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  out.write(blob.data(), static_cast<std::streamsize>(blob.size()));
  out.close();
  return out ? 0 : report({"cannot be written", output});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: gpulint_embed SOURCE_ROOT OUTPUT\n");
    return 2;
  }
  return embed(argv[1], argv[2]);
}
