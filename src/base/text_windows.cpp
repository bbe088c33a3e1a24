#include "base/text_windows.h"

#include "base/system_path.h"

#include <algorithm>
#include <cerrno>
#include <windows.h>

namespace gpulint {
namespace {

int error_number(DWORD code) {
  switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
    case ERROR_PRIVILEGE_NOT_HELD:
      return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_UNABLE_TO_REMOVE_REPLACED:
    case ERROR_UNABLE_TO_MOVE_REPLACEMENT:
    case ERROR_UNABLE_TO_MOVE_REPLACEMENT_2:
      return EBUSY;  // another program has it open
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
      return EPIPE;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    default:
      return EIO;
  }
}

bool is_small_letter(wchar_t c) { return c >= L'a' && c <= L'z'; }

}  // namespace

std::wstring wide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring result(
      static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
      L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, result.data(),
                      static_cast<int>(result.size()));
  return result;
}

std::string narrow(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  const int bytes =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string result(static_cast<std::size_t>(bytes), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, result.data(), bytes, nullptr, nullptr);
  return result;
}

std::wstring wide_path(std::string_view path) {
  constexpr std::size_t kLong = 240;  // a temporary name beside it must fit into MAX_PATH too
  std::wstring result = wide(path);
  std::replace(result.begin(), result.end(), L'/', L'\\');
  if (result.size() < kLong || drive_size(path) == 0) return result;
  return path[1] == ':' ? LR"(\\?\)" + result : LR"(\\?\UNC)" + result.substr(1);
}

std::string path_from_windows(std::wstring_view path) {
  constexpr std::wstring_view kShare = LR"(\\?\UNC\)";
  constexpr std::wstring_view kPlain = LR"(\\?\)";
  std::wstring result;
  if (path.starts_with(kShare)) {
    result = LR"(\\)" + std::wstring(path.substr(kShare.size()));
  } else {
    result = path.substr(path.starts_with(kPlain) ? kPlain.size() : 0);
  }
  if (result.size() > 1 && result[1] == L':' && is_small_letter(result[0])) {
    result[0] = static_cast<wchar_t>(result[0] - L'a' + L'A');
  }
  return with_slashes(narrow(result));
}

bool keep_error() {
  errno = error_number(GetLastError());
  return false;
}

}  // namespace gpulint
