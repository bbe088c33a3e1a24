#include "base/text_windows.h"
#include "disk/atomic_file.h"
#include "disk/system_file.h"

#include <fmt/format.h>

#include <cstring>
#include <fcntl.h>
#include <io.h>
#include <memory>
#include <windows.h>

namespace gpulint::disk {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct CloseHandleOf {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
using Handle = std::unique_ptr<HANDLE, CloseHandleOf>;

/// nullptr with the reason in errno. Folders can be opened too.
Handle open_handle(const std::string& path, DWORD access, DWORD more_flags = 0) {
  const HANDLE handle =
      CreateFileW(wide_path(path).c_str(), access, kShareAll, nullptr, OPEN_EXISTING,
                  FILE_FLAG_BACKUP_SEMANTICS | more_flags, nullptr);
  if (handle != INVALID_HANDLE_VALUE) return Handle(handle);
  keep_error();
  return nullptr;
}

Descriptor descriptor_of(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) {
    keep_error();
    return Descriptor(-1);
  }
  const int number = _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags | _O_BINARY);
  if (number < 0) CloseHandle(handle);
  return Descriptor(number);
}

HANDLE handle_of(const Descriptor& file) {
  return reinterpret_cast<HANDLE>(_get_osfhandle(file.number()));
}

FileKind kind_from(DWORD attributes) {
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return FileKind::directory;
  return (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? FileKind::other : FileKind::regular;
}

/// A junction leads elsewhere as a symbolic link does.
bool is_link(DWORD attributes, DWORD tag) {
  return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
         (tag == IO_REPARSE_TAG_SYMLINK || tag == IO_REPARSE_TAG_MOUNT_POINT);
}

std::int64_t joined(DWORD high, DWORD low) {
  return static_cast<std::int64_t>((std::uint64_t{high} << 32) | low);
}

Failure failed(std::string_view what) {
  const char* why = errno == EBUSY ? "another program has it open" : std::strerror(errno);
  return fail(fmt::format("{}: {}", what, why));
}

/// What tells that a file is still the one that was read.
using Information = BY_HANDLE_FILE_INFORMATION;

bool inform(const std::string& path, Information& information) {
  const Handle file = open_handle(path, FILE_READ_ATTRIBUTES, FILE_FLAG_OPEN_REPARSE_POINT);
  if (file == nullptr) return false;
  return GetFileInformationByHandle(file.get(), &information) != 0 || keep_error();
}

bool same(const Information& a, const Information& b) {
  return a.dwVolumeSerialNumber == b.dwVolumeSerialNumber && a.nFileIndexHigh == b.nFileIndexHigh &&
         a.nFileIndexLow == b.nFileIndexLow && a.nFileSizeHigh == b.nFileSizeHigh &&
         a.nFileSizeLow == b.nFileSizeLow &&
         a.ftLastWriteTime.dwHighDateTime == b.ftLastWriteTime.dwHighDateTime &&
         a.ftLastWriteTime.dwLowDateTime == b.ftLastWriteTime.dwLowDateTime;
}

/// The file as it is now, if it may be replaced.
Result<Information> inspect(const std::string& path, std::string_view before) {
  Information now{};
  if (!inform(path, now)) {
    if (errno == ENOENT) return fail("the file is gone");
    return failed("cannot read it again");
  }
  constexpr DWORD kNoFile =
      FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_DEVICE | FILE_ATTRIBUTE_REPARSE_POINT;
  if ((now.dwFileAttributes & kNoFile) != 0) return fail("it is no longer a regular file");
  if ((now.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0) return fail("the file is read-only");
  const Descriptor file = open_to_read(path);
  if (!file.is_open()) return failed("cannot read it again");
  const auto text = read_up_to(file, before.size() + 1);
  if (!text || *text != before) return fail("the file was changed meanwhile; run gpulint again");
  return now;
}

}  // namespace

Descriptor open_to_read(const std::string& path) {
  const HANDLE handle = CreateFileW(wide_path(path).c_str(), GENERIC_READ, kShareAll, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  return descriptor_of(handle, _O_RDONLY);
}

std::optional<FileStatus> status_of(const Descriptor& file) {
  const HANDLE handle = handle_of(file);
  if (GetFileType(handle) != FILE_TYPE_DISK) return FileStatus{FileKind::other, 0};
  Information information{};
  if (GetFileInformationByHandle(handle, &information) == 0) {
    keep_error();
    return std::nullopt;
  }
  return FileStatus{kind_from(information.dwFileAttributes),
                    joined(information.nFileSizeHigh, information.nFileSizeLow)};
}

FileKind kind_of(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(wide_path(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return FileKind::missing;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return kind_from(attributes);
  const Handle behind = open_handle(path, FILE_READ_ATTRIBUTES);
  Information information{};
  if (behind == nullptr || GetFileInformationByHandle(behind.get(), &information) == 0) {
    return FileKind::missing;
  }
  return kind_from(information.dwFileAttributes);
}

std::optional<std::vector<DirectoryEntry>> entries_of(const std::string& folder) {
  WIN32_FIND_DATAW found{};
  const HANDLE search = FindFirstFileExW(wide_path(folder + "/*").c_str(), FindExInfoBasic, &found,
                                         FindExSearchNameMatch, nullptr, FIND_FIRST_EX_LARGE_FETCH);
  if (search == INVALID_HANDLE_VALUE) {
    keep_error();
    return std::nullopt;
  }
  std::vector<DirectoryEntry> entries;
  do {
    std::string name = narrow(found.cFileName);
    if (name == "." || name == "..") continue;
    const bool link = is_link(found.dwFileAttributes, found.dwReserved0);
    const FileKind kind = link ? kind_of(folder + "/" + name) : kind_from(found.dwFileAttributes);
    entries.push_back({std::move(name), kind, link});
  } while (FindNextFileW(search, &found) != 0);
  const bool complete = GetLastError() == ERROR_NO_MORE_FILES || keep_error();
  FindClose(search);
  if (!complete) return std::nullopt;
  return entries;
}

bool is_symlink(const std::string& path) {
  WIN32_FIND_DATAW found{};
  const HANDLE search = FindFirstFileW(wide_path(path).c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return false;
  FindClose(search);
  return is_link(found.dwFileAttributes, found.dwReserved0);
}

std::optional<std::string> real_path(const std::string& path) {
  const Handle file = open_handle(path, FILE_READ_ATTRIBUTES);
  if (file == nullptr) return std::nullopt;
  constexpr DWORD kForm = FILE_NAME_NORMALIZED | VOLUME_NAME_DOS;
  std::wstring name(GetFinalPathNameByHandleW(file.get(), nullptr, 0, kForm), L'\0');
  name.resize(
      GetFinalPathNameByHandleW(file.get(), name.data(), static_cast<DWORD>(name.size()), kForm));
  if (name.empty()) {
    keep_error();
    return std::nullopt;
  }
  return path_from_windows(name);
}

// Files inherit from their folder who may read them.
Descriptor create_file(const std::string& path, mode_t) {
  const HANDLE handle = CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, FILE_SHARE_READ,
                                    nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  return descriptor_of(handle, _O_WRONLY);
}

bool sync_file(const Descriptor& file) {
  return FlushFileBuffers(handle_of(file)) != 0 || keep_error();
}

void sync_folder(const std::string&) {}

bool give_name(const std::string& temporary, const std::string& path) {
  const std::wstring from = wide_path(temporary);
  const std::wstring to = wide_path(path);
  // Keeps who may do what with the file; not every file system has that.
  if (ReplaceFileW(to.c_str(), from.c_str(), nullptr, REPLACEFILE_IGNORE_MERGE_ERRORS, nullptr,
                   nullptr) != 0) {
    return true;
  }
  constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  return MoveFileExW(from.c_str(), to.c_str(), kHow) != 0 || keep_error();
}

void remove_file(const std::string& path) { DeleteFileW(wide_path(path).c_str()); }

bool make_one_folder(const std::string& folder) {
  if (CreateDirectoryW(wide_path(folder).c_str(), nullptr) != 0) return true;
  // A drive answers that nobody may make it.
  return kind_of(folder) == FileKind::directory || keep_error();
}

unsigned process_number() { return GetCurrentProcessId(); }

Result<void> replace_text(const std::string& path, std::string_view before,
                          std::string_view after) {
  const auto found = inspect(path, before);
  if (!found) return fail(found.error());
  const std::size_t slash = path.rfind('/');
  PendingFile pending(slash == std::string::npos ? "." : path.substr(0, slash), kOwnerOnly);
  if (!pending.is_open()) return failed("cannot write into its folder");
  if (!pending.write(after) || !pending.finish()) return failed("cannot write beside it");
  Information now{};
  if (!inform(path, now) || !same(now, *found)) {
    return fail("the file was changed meanwhile; run gpulint again");
  }
  if (!pending.take_name(path)) return failed("cannot replace it");
  return {};
}

}  // namespace gpulint::disk
