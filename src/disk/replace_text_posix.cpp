#include "base/platform.h"
#include "base/text.h"
#include "disk/atomic_file.h"
#include "disk/system_file.h"

#include <fmt/format.h>

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::disk {
namespace {

Failure failed(std::string_view what, int code) {
  return fail(fmt::format("{}: {}", what, std::strerror(code)));
}

/// The file as it is now, if it may be replaced.
Result<struct stat> inspect(const std::string& path, std::string_view before) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT) return fail("the file is gone");
    return failed("cannot read it again", errno);
  }
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return failed("cannot read it again", errno);
  if (!S_ISREG(status.st_mode)) return fail("it is no longer a regular file");
  constexpr mode_t kAnyWriter = S_IWUSR | S_IWGRP | S_IWOTH;
  if ((status.st_mode & kAnyWriter) == 0 || ::access(path.c_str(), W_OK) != 0) {
    return fail("the file is read-only");
  }
  const auto text = read_up_to(file, before.size() + 1);
  if (!text || *text != before) return fail("the file was changed meanwhile; run gpulint again");
  return status;
}

/// Fills the temporary file and gives it the owner and mode of the one it will replace.
Result<void> fill(PendingFile& pending, std::string_view text, const struct stat& like) {
  if (!pending.write(text)) return failed("cannot write beside it", errno);
  const int number = pending.descriptor();
  struct stat own {};
  if (fstat(number, &own) != 0) return failed("cannot write beside it", errno);
  const bool same_owner = own.st_uid == like.st_uid && own.st_gid == like.st_gid;
  if (!same_owner && fchown(number, like.st_uid, like.st_gid) != 0) {
    return failed("cannot keep its owner", errno);
  }
  constexpr mode_t kModeBits = 07777;
  if (fchmod(number, like.st_mode & kModeBits) != 0) return failed("cannot keep its mode", errno);
  if (!pending.finish()) return failed("cannot write beside it", errno);
  return {};
}

bool untouched(const std::string& path, const struct stat& before) {
  struct stat now {};
  return lstat(path.c_str(), &now) == 0 && now.st_dev == before.st_dev &&
         now.st_ino == before.st_ino && now.st_size == before.st_size &&
         modification_time(now) == modification_time(before);
}

}  // namespace

Result<void> replace_text(const std::string& path, std::string_view before,
                          std::string_view after) {
  const auto status = inspect(path, before);
  if (!status) return fail(status.error());
  const std::string_view parent = parent_path(path);
  PendingFile pending(std::string(parent.empty() ? "." : parent), kOwnerOnly);
  if (!pending.is_open()) return failed("cannot write into its folder", errno);
  if (auto filled = fill(pending, after, *status); !filled) return filled;
  if (!untouched(path, *status)) return fail("the file was changed meanwhile; run gpulint again");
  if (!pending.take_name(path)) return failed("cannot replace it", errno);
  return {};
}

}  // namespace gpulint::disk
