#include "cli/fix_write.h"

#include "base/platform.h"
#include "base/text.h"
#include "disk/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::cli {
namespace {

Failure refused(const std::string& path, std::string why) {
  return fail(Error{.message = "not fixed: " + std::move(why), .file = path});
}

Failure failed(const std::string& path, std::string_view what, int code) {
  return refused(path, fmt::format("{}: {}", what, std::strerror(code)));
}

bool is_symlink(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

/// The part of a path that was found rather than named: behind the folder it was found under.
std::string_view found_part(std::string_view path, std::span<const std::string> named) {
  std::string_view found = file_name(path);
  for (const std::string& root : named) {
    const std::string folder = normalize_path(root);
    if (folder == ".") {
      if (!path.starts_with('/') && !path.starts_with("../")) found = path;
    } else if (path.size() > folder.size() && path.starts_with(folder) &&
               (path[folder.size()] == '/' || folder == "/")) {
      const std::string_view rest = path.substr(folder.size() + (folder == "/" ? 0 : 1));
      if (rest.size() > found.size()) found = rest;
    }
  }
  return found;
}

/// The first symbolic link a path leads through behind what was named; "" = none.
std::string link_on_the_way(const std::string& path, std::span<const std::string> named) {
  const std::string_view found = found_part(path, named);
  std::size_t end = path.size() - found.size();
  while (end <= path.size()) {
    const std::size_t slash = path.find('/', end);
    const std::string part = path.substr(0, slash);
    if (is_symlink(part)) return part;
    if (slash == std::string::npos) break;
    end = slash + 1;
  }
  return {};
}

/// The file as it is now, if it may be replaced.
Result<struct stat> inspect(const std::string& path, std::string_view before) {
  const disk::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT) return refused(path, "the file is gone");
    return failed(path, "cannot read it again", errno);
  }
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return failed(path, "cannot read it again", errno);
  if (!S_ISREG(status.st_mode)) return refused(path, "it is no longer a regular file");
  constexpr mode_t kAnyWriter = S_IWUSR | S_IWGRP | S_IWOTH;
  if ((status.st_mode & kAnyWriter) == 0 || ::access(path.c_str(), W_OK) != 0) {
    return refused(path, "the file is read-only");
  }
  const auto text = disk::read_up_to(file, before.size() + 1);
  if (!text || *text != before) {
    return refused(path, "the file was changed meanwhile; run gpulint again");
  }
  return status;
}

/// Fills the temporary file and gives it the owner and mode of the one it will replace.
Result<void> fill(const std::string& path, disk::PendingFile& pending, std::string_view text,
                  const struct stat& like) {
  if (!pending.write(text)) return failed(path, "cannot write beside it", errno);
  const int number = pending.descriptor();
  struct stat own {};
  if (fstat(number, &own) != 0) return failed(path, "cannot write beside it", errno);
  const bool same_owner = own.st_uid == like.st_uid && own.st_gid == like.st_gid;
  if (!same_owner && fchown(number, like.st_uid, like.st_gid) != 0) {
    return failed(path, "cannot keep its owner", errno);
  }
  constexpr mode_t kModeBits = 07777;
  if (fchmod(number, like.st_mode & kModeBits) != 0) {
    return failed(path, "cannot keep its mode", errno);
  }
  if (!pending.finish()) return failed(path, "cannot write beside it", errno);
  return {};
}

bool untouched(const std::string& path, const struct stat& before) {
  struct stat now {};
  return lstat(path.c_str(), &now) == 0 && now.st_dev == before.st_dev &&
         now.st_ino == before.st_ino && now.st_size == before.st_size &&
         modification_time(now) == modification_time(before);
}

Result<void> replace_file(const std::string& path, const FixWrite& write) {
  const auto status = inspect(path, write.before);
  if (!status) return fail(status.error());
  const std::string_view parent = parent_path(path);
  const std::string folder(parent.empty() ? "." : parent);
  disk::PendingFile pending(folder, disk::kOwnerOnly);
  if (!pending.is_open()) return failed(path, "cannot write into its folder", errno);
  if (auto filled = fill(path, pending, write.after, *status); !filled) return filled;
  if (!untouched(path, *status)) {
    return refused(path, "the file was changed meanwhile; run gpulint again");
  }
  if (!pending.take_name(path)) return failed(path, "cannot replace it", errno);
  return {};
}

}  // namespace

Result<void> write_fixed(const FixWrite& write, std::span<const std::string> named) {
  const std::string link = link_on_the_way(write.path, named);
  if (link.empty()) return replace_file(write.path, write);
  if (!write.follow_symlinks) {
    return refused(write.path,
                   fmt::format("{} is a symbolic link; --follow-symlinks writes where it leads",
                               link == write.path ? "it" : link));
  }
  const std::unique_ptr<char, void (*)(void*)> real(realpath(write.path.c_str(), nullptr),
                                                    std::free);
  if (real == nullptr) return failed(write.path, "its link leads nowhere", errno);
  return replace_file(real.get(), write);
}

}  // namespace gpulint::cli
