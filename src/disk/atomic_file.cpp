#include "disk/atomic_file.h"

#include "base/text.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace gpulint::disk {
namespace {

constexpr mode_t kOwnerOnlyFolder = 0700;
/// A crashed process of the same number may have left its file.
constexpr int kMostNames = 100;

Failure cannot(std::string_view what, const std::string& path, int code) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::strerror(code)));
}

/// Different for each file of this process and of others at the same time.
std::string next_name(const std::string& folder) {
  static std::atomic<unsigned> count{0};
  return join_path(folder, fmt::format(".gpulint-{}-{}.tmp", getpid(), count++));
}

int open_new(const std::string& folder, mode_t mode, std::string& path) {
  for (int i = 0; i < kMostNames; ++i) {
    path = next_name(folder);
    const int file =
        ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/// A name is safe on disk only once its folder is; a file system that cannot sync folders is no
/// failure.
void sync_folder(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) static_cast<void>(fsync(file.number()));
}

}  // namespace

PendingFile::PendingFile(const std::string& folder, mode_t mode)
    : folder_(folder), file_(open_new(folder, mode, path_)), made_(file_.is_open()) {}

PendingFile::~PendingFile() {
  if (made_) ::unlink(path_.c_str());
}

bool PendingFile::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = ::write(file_.number(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool PendingFile::finish() {
  if (fsync(file_.number()) != 0) return false;
  errno = file_.close();
  return errno == 0;
}

bool PendingFile::take_name(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) return false;
  made_ = false;
  sync_folder(folder_);
  return true;
}

Result<void> make_folder(const std::string& folder) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const std::string part = folder.substr(0, end);
    if (part.empty() || mkdir(part.c_str(), kOwnerOnlyFolder) == 0 || errno == EEXIST) continue;
    return cannot("make", part, errno);
  }
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return cannot("make", folder, errno);
  if (!S_ISDIR(status.st_mode)) return fail(folder + " is not a folder");
  return {};
}

Result<void> write_atomically(const std::string& folder, const std::string& name,
                              std::string_view text, mode_t mode) {
  const std::string path = join_path(folder, name);
  PendingFile pending(folder, mode);
  if (!pending.is_open()) return cannot("write", path, errno);
  if (!pending.write(text) || !pending.finish() || !pending.take_name(path)) {
    return cannot("write", path, errno);
  }
  return {};
}

}  // namespace gpulint::disk
