#include "host/data_files.h"

#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace gpulint::probe {
namespace {

struct Walk {
  DataLimits limits;
  int seen = 0;
  std::vector<DataFile> files;

  void enter(const std::string& folder, int depth) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
    if (entries == nullptr) return;
    std::vector<std::string> below;
    for (const dirent* entry = readdir(entries.get()); entry != nullptr && seen < limits.entries;
         entry = readdir(entries.get())) {
      const std::string_view name(entry->d_name);
      if (name.starts_with('.')) continue;
      ++seen;
      const std::string path = join_path(folder, name);
      struct stat status {};
      if (lstat(path.c_str(), &status) != 0) continue;
      if (S_ISREG(status.st_mode) && status.st_size > 0) files.push_back({path, status.st_size});
      if (S_ISDIR(status.st_mode)) below.push_back(path);
    }
    if (depth >= limits.depth) return;
    for (const std::string& each : below) {
      if (seen < limits.entries) enter(each, depth + 1);
    }
  }
};

bool write_random(int file, std::int64_t bytes, unsigned seed) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::mt19937 random(seed);  // what compresses to nothing reads faster than data does
  std::vector<std::uint32_t> block(kBlock / sizeof(std::uint32_t));
  for (std::uint32_t& word : block) word = static_cast<std::uint32_t>(random());
  while (bytes > 0) {
    block.front() = static_cast<std::uint32_t>(random());  // no two blocks alike
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(bytes, kBlock));
    const ssize_t put = write(file, block.data(), count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes -= put;
  }
  return fsync(file) == 0;
}

}  // namespace

OpenFile::~OpenFile() {
  if (is_open()) close(number_);
}

std::string first_existing(const std::vector<std::string>& paths) {
  const auto found = std::find_if(paths.begin(), paths.end(), [](const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
  });
  return found == paths.end() ? "" : *found;
}

Result<std::vector<DataFile>> find_data_files(const std::string& path, DataLimits limits) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return fail(path + ": " + std::strerror(errno));
  if (S_ISREG(status.st_mode)) return std::vector<DataFile>{{path, status.st_size}};
  if (!S_ISDIR(status.st_mode)) return fail(path + ": neither a folder nor a regular file");
  Walk walk{.limits = limits, .seen = 0, .files = {}};
  walk.enter(path, 0);
  std::sort(walk.files.begin(), walk.files.end(),
            [](const DataFile& a, const DataFile& b) { return a.path < b.path; });
  return std::move(walk.files);
}

OpenFile open_data_file(const std::string& path, int more_flags) {
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | more_flags));
  struct stat status {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return OpenFile(-1);
  if (!S_ISREG(status.st_mode)) return OpenFile(-1);
  return file;
}

Result<OpenFile> temporary_file(const std::string& folder, std::int64_t bytes, unsigned seed) {
#ifdef O_TMPFILE
  constexpr mode_t kOwner = 0600;
  OpenFile nameless(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwner));
#else
  OpenFile nameless(-1);
#endif
  std::string name = join_path(folder, ".gpulint-XXXXXX");
  // Not every file system has nameless files.
  OpenFile file(nameless.is_open() ? fcntl(nameless.number(), F_DUPFD_CLOEXEC, 0)
                                   : mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return fail(std::strerror(errno));
  if (!nameless.is_open() && unlink(name.c_str()) != 0) return fail(std::strerror(errno));
  if (!write_random(file.number(), bytes, seed)) return fail(std::strerror(errno));
  return file;
}

std::string read_data_file(const std::string& path, std::size_t most) {
  const OpenFile file = open_data_file(path);
  struct stat status {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return "";
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) return "";
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = read(file.number(), text.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

}  // namespace gpulint::probe
