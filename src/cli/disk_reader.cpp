#include "cli/disk_reader.h"

#include "base/units.h"
#include "disk/system_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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

}  // namespace

Result<std::string> DiskReader::read(const std::string& path, std::size_t limit) const {
  const disk::Descriptor file = disk::open_to_read(path);
  if (!file.is_open()) return cannot("read", path, errno);
  const auto status = disk::status_of(file);
  if (!status) return cannot("read", path, errno);
  if (status->kind != FileKind::regular) {
    return fail(Error{.message = status->kind == FileKind::directory
                                     ? "is a folder, not a file"
                                     : "is not a regular file (a pipe, device or socket); pass its "
                                       "text on standard input instead",
                      .file = path});
  }
  const Bytes size = Bytes::of(status->size);
  if (size > Bytes::of(static_cast<std::int64_t>(limit))) return too_large(path, size, limit);
  auto text = disk::read_up_to(file, limit + 1, static_cast<std::size_t>(status->size));
  if (!text) return cannot("read", path, errno);
  if (text->size() > limit) {
    return too_large(path, Bytes::of(static_cast<std::int64_t>(text->size())), limit);
  }
  return *std::move(text);
}

FileKind DiskReader::kind(const std::string& path) const { return disk::kind_of(path); }

Result<std::vector<DirectoryEntry>> DiskReader::list(const std::string& directory) const {
  auto entries = disk::entries_of(directory);
  if (!entries) return cannot("list this folder", directory, errno);
  std::sort(entries->begin(), entries->end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return *std::move(entries);
}

std::string DiskReader::canonical(const std::string& path) const {
  return disk::real_path(path).value_or(path);
}

}  // namespace gpulint
