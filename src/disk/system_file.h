#pragma once

// Files as each system gives them: system_file_posix.cpp, system_file_windows.cpp. What fails
// leaves its reason in errno.

#include "base/file_reader.h"
#include "base/result.h"
#include "disk/descriptor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace gpulint::disk {

struct FileStatus {
  FileKind kind = FileKind::missing;
  std::int64_t size = 0;  // bytes
};

/// Opened to be read; never waits for the other end of a pipe.
Descriptor open_to_read(const std::string& path);
std::optional<FileStatus> status_of(const Descriptor& file);
/// Behind symbolic links.
FileKind kind_of(const std::string& path);
/// In no order.
std::optional<std::vector<DirectoryEntry>> entries_of(const std::string& folder);

bool is_symlink(const std::string& path);
/// Absolute, with symbolic links followed.
std::optional<std::string> real_path(const std::string& path);

/// A file that was not there (else EEXIST), never behind a symbolic link, to be written.
/// `mode`: where the system has such.
Descriptor create_file(const std::string& path, mode_t mode);
/// Everything written is on the disk.
bool sync_file(const Descriptor& file);
/// A name is safe on disk only once its folder is; a file system that cannot sync folders is no
/// failure.
void sync_folder(const std::string& folder);
/// In one step: a reader of `path` sees the old file or the whole new one.
bool give_name(const std::string& temporary, const std::string& path);
void remove_file(const std::string& path);
/// For its owner alone; true where it was there.
bool make_one_folder(const std::string& folder);
/// Of this process.
unsigned process_number();

/// Puts `after` in the place of a file's text in one step: a temporary file beside it, written and
/// synced, takes its mode and owner and then its name. Refused, with nothing changed: a file that
/// differs from `before`, is read-only, is gone, or is not a regular file.
Result<void> replace_text(const std::string& path, std::string_view before, std::string_view after);

}  // namespace gpulint::disk
