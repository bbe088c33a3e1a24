#include "lint/buffers.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lint/folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

/// What real paths of files below a folder begin with.
std::string prefix_of(const std::string& folder) {
  if (folder == ".") return {};
  return folder.ends_with('/') ? folder : folder + "/";
}

/// The first buffer below a folder, or the end.
Buffers::const_iterator first_below(const Buffers& buffers, const std::string& prefix) {
  const auto first = buffers.lower_bound(prefix);
  return first != buffers.end() && first->first.starts_with(prefix) ? first : buffers.end();
}

void add_entry(std::vector<DirectoryEntry>& entries, DirectoryEntry entry) {
  const auto at =
      std::lower_bound(entries.begin(), entries.end(), entry,
                       [](const auto& one, const auto& other) { return one.name < other.name; });
  if (at == entries.end() || at->name != entry.name) {
    entries.insert(at, std::move(entry));
  } else if (entry.kind == FileKind::regular) {
    at->kind = FileKind::regular;
  }
}

}  // namespace

std::string real_path(const FileReader& disk, const std::string& path) {
  std::string known = normalize_path(path);
  std::string missing;  // the end of the path that the disk does not have
  while (known != "." && !is_root(known) && disk.kind(known) == FileKind::missing) {
    missing = missing.empty() ? std::string(file_name(known))
                              : fmt::format("{}/{}", file_name(known), missing);
    known = folder_of(known);
  }
  const std::string real = normalize_path(disk.canonical(known));
  return missing.empty() ? real : join_path(real, missing);
}

const Buffer* BufferedFiles::find(const std::string& path) const {
  const auto buffer = buffers_.find(real_path(disk_, path));
  return buffer == buffers_.end() ? nullptr : buffer->second.get();
}

Result<std::string> BufferedFiles::read(const std::string& path, std::size_t limit) const {
  const Buffer* buffer = find(path);
  if (buffer == nullptr) return disk_.read(path, limit);
  if (buffer->text.size() > limit) {
    return fail(Error{
        .message = fmt::format("{} bytes are over the limit of {}", buffer->text.size(), limit),
        .file = path,
        .limit = true});
  }
  return buffer->text;
}

FileKind BufferedFiles::kind(const std::string& path) const {
  const std::string real = real_path(disk_, path);
  if (buffers_.count(real) != 0) return FileKind::regular;
  const FileKind kind = disk_.kind(path);
  if (kind != FileKind::missing) return kind;
  const bool holds_buffers = first_below(buffers_, prefix_of(real)) != buffers_.end();
  return holds_buffers ? FileKind::directory : FileKind::missing;
}

Result<std::vector<DirectoryEntry>> BufferedFiles::list(const std::string& directory) const {
  auto entries = disk_.list(directory);
  const std::string prefix = prefix_of(real_path(disk_, directory));
  auto below = first_below(buffers_, prefix);
  if (below == buffers_.end()) return entries;
  if (!entries && disk_.kind(directory) != FileKind::missing) return entries;
  std::vector<DirectoryEntry> all = entries ? std::move(*entries) : std::vector<DirectoryEntry>{};
  for (; below != buffers_.end() && below->first.starts_with(prefix); ++below) {
    if (prefix.empty() && below->first.find_first_of("/.") == 0) continue;  // not below "."
    const std::string_view rest = std::string_view(below->first).substr(prefix.size());
    const std::size_t slash = rest.find('/');
    const FileKind kind = slash == rest.npos ? FileKind::regular : FileKind::directory;
    add_entry(all, {std::string(rest.substr(0, slash)), kind, false});
  }
  return all;
}

std::string BufferedFiles::canonical(const std::string& path) const {
  const std::string real = real_path(disk_, path);
  const bool known =
      buffers_.count(real) != 0 || first_below(buffers_, prefix_of(real)) != buffers_.end();
  return known ? real : disk_.canonical(path);
}

}  // namespace gpulint
