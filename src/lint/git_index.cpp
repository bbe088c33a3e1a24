#include "lint/git_index.h"

#include "base/text.h"
#include "lint/folders.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMaxIndexBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxLinkBytes = 4096;
constexpr std::size_t kHeader = 12;
constexpr std::size_t kFlagsAt = 60;  // after times, device, mode, owner, size and a SHA-1
constexpr std::size_t kNameAt = 62;
constexpr std::uint32_t kExtended = 0x4000;

std::uint32_t big_endian(std::string_view text, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value = value << 8 | static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

/// How many characters of the path before are left out in version 4; moves `at` behind it.
/// nullopt: cut short, or more than any path has.
std::optional<std::size_t> left_out(std::string_view index, std::size_t& at) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  std::size_t value = 0;
  for (bool more = true; more; ++at) {
    if (at >= index.size() || value > kMost) return std::nullopt;
    const auto byte = static_cast<unsigned char>(index[at]);
    value = value << 7 | (byte & 127U);
    more = (byte & 128U) != 0;
    if (more) ++value;
  }
  return value;
}

}  // namespace

std::vector<std::string> tracked_in_index(
    std::string_view index, const std::function<bool(std::string_view name)>& takes_name) {
  std::vector<std::string> paths;
  if (index.size() < kHeader || !index.starts_with("DIRC")) return paths;
  const std::uint32_t version = big_endian(index, 4, 4);
  if (version < 2 || version > 4) return paths;
  std::string path;
  std::size_t at = kHeader;
  for (std::uint32_t left = big_endian(index, 8, 4); left > 0; --left) {
    const std::size_t entry = at;
    if (entry + kNameAt + 2 > index.size()) return paths;
    const bool extended = (big_endian(index, entry + kFlagsAt, 2) & kExtended) != 0;
    at = entry + kNameAt + (version > 2 && extended ? 2 : 0);
    std::size_t kept = 0;
    if (version == 4) {
      const auto removed = left_out(index, at);
      if (!removed || *removed > path.size()) return paths;
      kept = path.size() - *removed;
    }
    const std::size_t end = index.find('\0', at);
    if (end == std::string_view::npos) return paths;
    path.resize(kept);
    path += index.substr(at, end - at);
    // Entries of versions 2 and 3 are padded to eights, with one NUL at least.
    at = version == 4 ? end + 1 : entry + ((end - entry) / 8 + 1) * 8;
    if (takes_name(file_name(path))) paths.push_back(path);
  }
  return paths;
}

bool TrackedFiles::has(const std::string& path, bool is_directory) {
  const std::string& root = root_of(std::string(parent_path(path)));
  if (root.empty()) return false;
  const std::vector<std::string>& files = files_of(root);
  std::string below = root == "." ? path : path.substr(root.size() + (root.ends_with('/') ? 0 : 1));
  if (is_directory) below += '/';
  const auto found = std::lower_bound(files.begin(), files.end(), below);
  if (found == files.end()) return false;
  return is_directory ? found->starts_with(below) : *found == below;
}

/// The repository that a folder lies in.
const std::string& TrackedFiles::root_of(const std::string& folder) {
  const auto [found, is_new] = roots_.try_emplace(folder);
  if (!is_new) return found->second;
  std::string root = folder.empty() ? "." : folder;
  while (!root.empty() && !is_repository_root(reader_, root)) root = parent_folder(reader_, root);
  return found->second = std::move(root);
}

const std::vector<std::string>& TrackedFiles::files_of(const std::string& root) {
  const auto [found, is_new] = files_.try_emplace(root);
  if (!is_new) return found->second;
  std::string git = join_path(root, ".git");
  // Working trees and submodules have a file that says where their index lies.
  if (reader_.kind(git) == FileKind::regular) {
    constexpr std::string_view kLink = "gitdir:";
    const auto link = reader_.read(git, kMaxLinkBytes);
    if (!link || !link->starts_with(kLink)) return found->second;
    git = join_path(root, trim(std::string_view(*link).substr(kLink.size())));
  }
  const auto index = reader_.read(join_path(git, "index"), kMaxIndexBytes);
  if (index) found->second = tracked_in_index(*index, takes_name_);
  return found->second;
}

}  // namespace gpulint
