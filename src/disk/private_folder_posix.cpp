// Settings that change verdicts are read from a folder in the user's home. Every check is made on
// an open file, and files are opened relative to the open folder: what is checked is what is read,
// whatever is renamed in between.

#include "disk/descriptor.h"
#include "disk/private_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace gpulint::disk {
namespace {

constexpr int kSafely = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;  // a FIFO would block

/// Why a file or folder may hold somebody else's words; "" = it is this user's alone.
std::string distrust(const struct stat& status) {
  if (status.st_uid != geteuid()) return "belongs to another user";
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "may be written by other users";
  return "";
}

Failure cannot_open(int code) {
  if (code == ELOOP || code == ENOTDIR) return fail("is a symbolic link or no folder");
  return fail(std::strerror(code));
}

Result<std::string> read_file(int folder, const std::string& name, std::size_t limit) {
  const Descriptor file(::openat(folder, name.c_str(), kSafely));
  if (!file.is_open()) {
    return errno == ELOOP ? fail("is a symbolic link") : fail(std::strerror(errno));
  }
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return fail("is not a regular file");
  if (std::string why = distrust(status); !why.empty()) return fail(std::move(why));
  auto text = read_up_to(file, limit + 1);
  if (!text) return fail(std::strerror(errno));
  if (text->size() > limit) return fail(fmt::format("is larger than {} bytes", limit));
  return std::move(*text);
}

/// Sorted, at most `most`, so that a full folder costs no more than that.
std::vector<std::string> names_in(int folder, std::string_view ending, std::size_t most) {
  std::vector<std::string> names;
  const int copy = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);  // closedir closes what it reads
  if (copy < 0) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(copy), closedir);
  if (entries == nullptr) {
    ::close(copy);
    return names;
  }
  while (const dirent* entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with('.') && name.ends_with(ending)) names.emplace_back(name);
    if (names.size() == most) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<std::vector<PrivateFile>> read_private_folder(const std::string& folder,
                                                     std::string_view ending,
                                                     const PrivateLimits& limits) {
  std::vector<PrivateFile> files;
  const Descriptor opened(::open(folder.c_str(), kSafely | O_DIRECTORY));
  if (!opened.is_open()) {
    if (errno == ENOENT) return files;
    return cannot_open(errno);
  }
  struct stat status {};
  if (fstat(opened.number(), &status) != 0) return fail(std::strerror(errno));
  if (std::string why = distrust(status); !why.empty()) return fail(std::move(why));
  for (std::string& name : names_in(opened.number(), ending, limits.files)) {
    auto text = read_file(opened.number(), name, limits.bytes);
    files.push_back({std::move(name), std::move(text)});
  }
  return files;
}

}  // namespace gpulint::disk
