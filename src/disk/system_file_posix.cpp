#include "disk/system_file.h"

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::disk {
namespace {

constexpr mode_t kOwnerOnlyFolder = 0700;

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  return S_ISDIR(mode) ? FileKind::directory : FileKind::other;
}

FileKind kind_from(const dirent& entry, const std::string& folder) {
  switch (entry.d_type) {
    case DT_REG:
      return FileKind::regular;
    case DT_DIR:
      return FileKind::directory;
    case DT_LNK:
    case DT_UNKNOWN:
      return disk::kind_of(folder + "/" + entry.d_name);
    default:
      return FileKind::other;
  }
}

}  // namespace

Descriptor open_to_read(const std::string& path) {
  // O_NONBLOCK: opening a FIFO without a writer must not wait.
  return Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

std::optional<FileStatus> status_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return std::nullopt;
  return FileStatus{kind_of(status.st_mode), status.st_size};
}

FileKind kind_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? kind_of(status.st_mode) : FileKind::missing;
}

std::optional<std::vector<DirectoryEntry>> entries_of(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(folder.c_str()), closedir);
  if (handle == nullptr) return std::nullopt;
  std::vector<DirectoryEntry> entries;
  for (errno = 0; const dirent* entry = readdir(handle.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), kind_from(*entry, folder), entry->d_type == DT_LNK});
  }
  if (errno != 0) return std::nullopt;
  return entries;
}

bool is_symlink(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

std::optional<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) return std::nullopt;
  return std::string(real.get());
}

Descriptor create_file(const std::string& path, mode_t mode) {
  return Descriptor(
      ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, mode));
}

bool sync_file(const Descriptor& file) { return fsync(file.number()) == 0; }

void sync_folder(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) static_cast<void>(fsync(file.number()));
}

bool give_name(const std::string& temporary, const std::string& path) {
  return std::rename(temporary.c_str(), path.c_str()) == 0;
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

bool make_one_folder(const std::string& folder) {
  return mkdir(folder.c_str(), kOwnerOnlyFolder) == 0 || errno == EEXIST;
}

unsigned process_number() { return static_cast<unsigned>(getpid()); }

}  // namespace gpulint::disk
