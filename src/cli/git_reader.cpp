#include "cli/git_reader.h"

#include "base/system_path.h"
#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpulint::cli {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel
constexpr std::size_t kMaxLinkBytes = 4096;

/// Path from the root of the repository: "" for the root itself, nullopt above it.
std::optional<std::string> from_root(std::string path) {
  path = normalize_path(path);
  if (path == ".") return std::string();
  if (path == ".." || path.starts_with("../") || is_absolute(path)) return std::nullopt;
  return path;
}

}  // namespace

GitReader::GitReader(const GitRepository& repository, std::vector<GitEntry> entries)
    : root_(repository.root()), prefix_(repository.prefix()), batch_(repository.root()) {
  folders_[""];
  for (GitEntry& entry : entries) {
    has_links_ = has_links_ || entry.is_link();
    std::string name = entry.path;
    FileKind kind = entry.is_submodule() ? FileKind::other : FileKind::regular;
    bool link = entry.is_link();
    while (true) {
      const std::string folder(parent_path(name));
      const bool known = folder.empty() || folders_.count(folder) != 0;
      folders_[folder].push_back({std::string(file_name(name)), kind, link});
      if (known) break;
      name = folder;
      kind = FileKind::directory;
      link = false;
    }
    std::string path = entry.path;
    files_.emplace(std::move(path), std::move(entry));
  }
  for (auto& [folder, children] : folders_) {
    for (DirectoryEntry& child : children) {
      if (child.symlink)
        child.kind = GitReader::kind(join_path(join_path(root_, folder), child.name));
    }
    std::sort(children.begin(), children.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  }
}

std::optional<std::string> GitReader::locate(const std::string& path) const {
  std::string whole;
  if (is_absolute(path)) {
    const std::string normal = normalize_path(path);
    if (normal == root_) return std::string();
    if (!normal.starts_with(root_.ends_with('/') ? root_ : root_ + "/")) return std::nullopt;
    whole = normal.substr(root_.size() + (root_.ends_with('/') ? 0 : 1));
  } else {
    whole = prefix_.empty() ? path : prefix_ + "/" + path;
  }
  auto located = from_root(std::move(whole));
  if (!located || !has_links_) return located;
  return follow_links(std::move(*located));
}

std::optional<std::string> GitReader::follow_links(std::string path) const {
  for (int links = 0; links < kMaxLinks; ++links) {
    bool followed = false;
    for (std::size_t end = 0; end != std::string::npos && !followed;) {
      end = path.find('/', end + 1);
      const std::string part = path.substr(0, end);
      const auto entry = files_.find(part);
      if (entry == files_.end() || !entry->second.is_link()) continue;
      const auto target = content(entry->second, kMaxLinkBytes);
      if (!target || is_absolute(*target)) return std::nullopt;
      const std::string rest = end == std::string::npos ? "" : path.substr(end);
      auto next = from_root(std::string(parent_path(part)) +
                            (parent_path(part).empty() ? "" : "/") + *target + rest);
      if (!next) return std::nullopt;
      path = std::move(*next);
      followed = true;
    }
    if (!followed) return path;
  }
  return std::nullopt;
}

Result<std::string> GitReader::content(const GitEntry& entry, std::size_t limit) const {
  const std::scoped_lock lock(mutex_);
  return batch_.blob(entry.object, limit);
}

Result<std::string> GitReader::read(const std::string& path, std::size_t limit) const {
  const auto located = locate(path);
  const auto file = located ? files_.find(*located) : files_.end();
  if (file == files_.end()) {
    const bool folder = located && folders_.count(*located) != 0;
    return fail(Error{.message = folder ? "is a folder, not a file"
                                        : "cannot read: no such file in this revision",
                      .file = path});
  }
  if (file->second.is_submodule()) {
    return fail(
        Error{.message = "is a submodule; run gpulint in its own repository", .file = path});
  }
  auto text = content(file->second, limit);
  if (text) return text;
  Error error = std::move(text).error();
  error.file = path;
  return fail(std::move(error));
}

FileKind GitReader::kind_at(const std::string& located) const {
  if (const auto file = files_.find(located); file != files_.end()) {
    return file->second.is_submodule() ? FileKind::other : FileKind::regular;
  }
  // Discovery asks for it to see where the repository ends.
  if (folders_.count(located) != 0 || located == ".git") return FileKind::directory;
  return FileKind::missing;
}

FileKind GitReader::kind(const std::string& path) const {
  const auto located = locate(path);
  return located ? kind_at(*located) : FileKind::missing;
}

Result<std::vector<DirectoryEntry>> GitReader::list(const std::string& directory) const {
  const auto located = locate(directory);
  const auto folder = located ? folders_.find(*located) : folders_.end();
  if (folder == folders_.end()) {
    return fail(
        Error{.message = "cannot list this folder: it is not in this revision", .file = directory});
  }
  return folder->second;
}

std::string GitReader::canonical(const std::string& path) const {
  const auto located = locate(path);
  if (!located) return path;
  return located->empty() ? root_ : root_ + "/" + *located;
}

}  // namespace gpulint::cli
