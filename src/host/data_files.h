#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// A regular file below the data path.
struct DataFile {
  std::string path;
  std::int64_t bytes = 0;
};

/// The first that is there; "" = none of them is.
std::string first_existing(const std::vector<std::string>& paths);

/// What is looked at of a folder that may hold millions.
struct DataLimits {
  int entries = 4096;
  int depth = 6;
};

/// Regular files at and below `path`, by path; symbolic links are not followed. Folders are gone
/// through in the order the file system lists them until a limit is reached.
Result<std::vector<DataFile>> find_data_files(const std::string& path, DataLimits limits = {});

/// An open file that is closed.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  OpenFile(OpenFile&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// A regular file for reading; never a device, a pipe or a symbolic link.
OpenFile open_data_file(const std::string& path, int more_flags = 0);

/// A file in `folder` that has no name, or loses it before anything is written: it is gone with the
/// process, however that ends. Holds `bytes` random bytes that are on the disk.
Result<OpenFile> temporary_file(const std::string& folder, std::int64_t bytes, unsigned seed);

/// The whole of a file, at most `most` bytes; "" for larger ones and after an error.
std::string read_data_file(const std::string& path, std::size_t most);

}  // namespace gpulint::probe
