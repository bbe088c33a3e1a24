#include "cli/disk_reader.h"

#include "base/text.h"
#include "base/units.h"
#include "disk/descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace gpulint {
namespace {

Failure cannot(std::string_view action, const std::string& path, int code) {
  const char* next = code == EACCES ? "; check its permissions" : "";
  return fail(Error{.message = fmt::format("cannot {}: {}{}", action, std::strerror(code), next),
                    .file = path});
}

Failure too_large(const std::string& path, Bytes size, std::size_t limit) {
  return fail(
      Error{.message = fmt::format("is {}, and gpulint reads configs of at most {}; is this "
                                   "data rather than a config?",
                                   format_binary(size),
                                   format_binary(Bytes::of(static_cast<std::int64_t>(limit)))),
            .file = path,
            .limit = true});
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  return S_ISDIR(mode) ? FileKind::directory : FileKind::other;
}

FileKind kind_from(const dirent& entry, const std::string& path, const DiskReader& reader) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::regular;
    case DT_DIR:
      return FileKind::directory;
    case DT_LNK:
    case DT_UNKNOWN:
      return reader.kind(path);
    default:
      return FileKind::other;
  }
}

}  // namespace

Result<std::string> DiskReader::read(const std::string& path, std::size_t limit) const {
  // O_NONBLOCK: opening a FIFO without a writer must not wait.
  const disk::Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return cannot("read", path, errno);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return cannot("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(Error{.message = S_ISDIR(status.st_mode)
                                     ? "is a folder, not a file"
                                     : "is not a regular file (a pipe, device or socket); pass its "
                                       "text on standard input instead",
                      .file = path});
  }
  const Bytes size = Bytes::of(status.st_size);
  if (size > Bytes::of(static_cast<std::int64_t>(limit))) return too_large(path, size, limit);
  auto text = disk::read_up_to(file, limit + 1, static_cast<std::size_t>(status.st_size));
  if (!text) return cannot("read", path, errno);
  if (text->size() > limit) {
    return too_large(path, Bytes::of(static_cast<std::int64_t>(text->size())), limit);
  }
  return *std::move(text);
}

FileKind DiskReader::kind(const std::string& path) const {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? kind_of(status.st_mode) : FileKind::missing;
}

Result<std::vector<DirectoryEntry>> DiskReader::list(const std::string& directory) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(directory.c_str()), closedir);
  if (handle == nullptr) return cannot("list this folder", directory, errno);
  std::vector<DirectoryEntry> entries;
  for (errno = 0; const dirent* entry = readdir(handle.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), kind_from(*entry, join_path(directory, name), *this),
                       entry->d_type == DT_LNK});
  }
  if (errno != 0) return cannot("list this folder", directory, errno);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

std::string DiskReader::canonical(const std::string& path) const {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? path : std::string(real.get());
}

}  // namespace gpulint
