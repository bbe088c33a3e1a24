#include "cli/disk_reader.h"

#include "base/text.h"
#include "base/units.h"

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
#include <unistd.h>

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

struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

/// Reads to the end of the file or one byte past the limit: a file may grow while it is read.
int read_all(int descriptor, std::size_t most, std::string& text) {
  std::size_t filled = 0;
  while (filled < most) {
    if (filled == text.size()) text.resize(std::min(most, std::max<std::size_t>(4096, 2 * filled)));
    const ssize_t got = ::read(descriptor, text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return 0;
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
  const Descriptor file{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.number < 0) return cannot("read", path, errno);
  struct stat status {};
  if (fstat(file.number, &status) != 0) return cannot("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(Error{.message = S_ISDIR(status.st_mode)
                                     ? "is a folder, not a file"
                                     : "is not a regular file (a pipe, device or socket); pass its "
                                       "text on standard input instead",
                      .file = path});
  }
  const Bytes size = Bytes::of(status.st_size);
  if (size > Bytes::of(static_cast<std::int64_t>(limit))) return too_large(path, size, limit);
  // One byte more than expected, so that the end is seen without a second round.
  std::string text(static_cast<std::size_t>(status.st_size) + 1, '\0');
  const int code = read_all(file.number, limit + 1, text);
  if (code != 0) return cannot("read", path, code);
  if (text.size() > limit) {
    return too_large(path, Bytes::of(static_cast<std::int64_t>(text.size())), limit);
  }
  return text;
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
