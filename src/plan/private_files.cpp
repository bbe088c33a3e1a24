#include "plan/private_files.h"

#include "base/ignore_rules.h"
#include "base/system_path.h"

#include <cstddef>
#include <vector>

namespace gpulint {
namespace {

constexpr int kMostAround = 64;
constexpr std::size_t kLongestIgnoreFile = 1U << 20;  // a short list; a larger one is not read

/// The folders around a path, the innermost first, as far as its repository reaches.
std::vector<std::string> folders_around(const FileReader& reader, const std::string& path) {
  std::vector<std::string> folders;
  std::string folder(parent_path(path));
  for (int i = 0; i < kMostAround; ++i) {
    folders.push_back(folder);
    const bool is_top = folder.empty() || folder == "." || is_root(folder) ||
                        reader.kind(join_path(folder, ".git")) != FileKind::missing;
    if (is_top) break;
    folder = std::string(parent_path(folder));
  }
  return folders;
}

IgnoreFile::Verdict judged(const std::vector<IgnoreFile>& files, const std::string& path,
                           bool is_folder) {
  for (const IgnoreFile& file : files) {
    const IgnoreFile::Verdict verdict = file.judge(path, is_folder);
    if (verdict != IgnoreFile::Verdict::none) return verdict;
  }
  return IgnoreFile::Verdict::none;
}

}  // namespace

bool may_be_private(const FileReader& reader, const std::string& path) {
  const std::vector<std::string> folders = folders_around(reader, path);
  std::vector<IgnoreFile> files;
  for (const std::string& folder : folders) {
    const std::string name = folder.empty() ? ".gitignore" : join_path(folder, ".gitignore");
    if (reader.kind(name) != FileKind::regular) continue;
    if (const auto text = reader.read(name, kLongestIgnoreFile)) files.emplace_back(folder, *text);
  }
  if (judged(files, path, false) == IgnoreFile::Verdict::ignored) return true;
  for (const std::string& folder : folders) {
    if (folder.empty() || &folder == &folders.back()) continue;
    if (judged(files, folder, true) == IgnoreFile::Verdict::ignored) return true;
  }
  return false;
}

}  // namespace gpulint
