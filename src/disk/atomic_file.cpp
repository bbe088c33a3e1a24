#include "disk/atomic_file.h"

#include "base/text.h"
#include "disk/system_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>

namespace gpulint::disk {
namespace {

/// A crashed process of the same number may have left its file.
constexpr int kMostNames = 100;

Failure cannot(std::string_view what, const std::string& path, int code) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::strerror(code)));
}

/// Different for each file of this process and of others at the same time.
std::string next_name(const std::string& folder) {
  static std::atomic<unsigned> count{0};
  return join_path(folder, fmt::format(".gpulint-{}-{}.tmp", process_number(), count++));
}

Descriptor open_new(const std::string& folder, mode_t mode, std::string& path) {
  for (int i = 0; i < kMostNames; ++i) {
    path = next_name(folder);
    Descriptor file = create_file(path, mode);
    if (file.is_open() || errno != EEXIST) return file;
  }
  return Descriptor(-1);
}

}  // namespace

PendingFile::PendingFile(const std::string& folder, mode_t mode)
    : folder_(folder), file_(open_new(folder, mode, path_)), made_(file_.is_open()) {}

PendingFile::~PendingFile() {
  if (!made_) return;
  file_.close();  // Windows removes no open file
  remove_file(path_);
}

bool PendingFile::write(std::string_view text) const {
  while (!text.empty()) {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    const auto most = static_cast<unsigned>(std::min(text.size(), kMostAtOnce));
    const auto put = ::write(file_.number(), text.data(), most);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool PendingFile::finish() {
  if (!sync_file(file_)) return false;
  errno = file_.close();
  return errno == 0;
}

bool PendingFile::take_name(const std::string& path) {
  if (!give_name(path_, path)) return false;
  made_ = false;
  sync_folder(folder_);
  return true;
}

Result<void> make_folder(const std::string& folder) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const std::string part = folder.substr(0, end);
    if (part.empty() || make_one_folder(part)) continue;
    return cannot("make", part, errno);
  }
  const FileKind kind = kind_of(folder);
  if (kind == FileKind::missing) return cannot("make", folder, errno);
  if (kind != FileKind::directory) return fail(folder + " is not a folder");
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
