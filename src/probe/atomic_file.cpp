#include "probe/atomic_file.h"

#include "base/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::probe {
namespace {

constexpr mode_t kOwnerOnlyFolder = 0700;
constexpr mode_t kReadableFile = 0644;  // reports of a fleet are merged by another user

Failure cannot(std::string_view what, const std::string& path, int code) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::strerror(code)));
}

/// An open temporary file that is gone again unless `keep_as` succeeded.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {
    file_ =
        open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, kReadableFile);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ < 0) return;
    close(file_);
    if (!kept_) unlink(path_.c_str());
  }

  bool opened() const { return file_ >= 0; }
  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t put = write(file_, text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    return fsync(file_) == 0;
  }
  bool keep_as(const std::string& path) {
    kept_ = std::rename(path_.c_str(), path.c_str()) == 0;
    return kept_;
  }

 private:
  std::string path_;
  int file_ = -1;
  bool kept_ = false;
};

}  // namespace

Result<void> make_folder(const std::string& folder) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const std::string part = folder.substr(0, end);
    if (part.empty() || mkdir(part.c_str(), kOwnerOnlyFolder) == 0 || errno == EEXIST) continue;
    return cannot("make", part, errno);
  }
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return cannot("make", folder, errno);
  if (!S_ISDIR(status.st_mode)) return fail(folder + " is no folder");
  return {};
}

Result<void> write_atomically(const std::string& folder, const std::string& name,
                              std::string_view text) {
  const std::string path = join_path(folder, name);
  TemporaryFile temporary(fmt::format("{}.{}.tmp", path, getpid()));
  if (!temporary.opened()) return cannot("write", path, errno);
  if (!temporary.write_all(text) || !temporary.keep_as(path)) return cannot("write", path, errno);
  return {};
}

}  // namespace gpulint::probe
