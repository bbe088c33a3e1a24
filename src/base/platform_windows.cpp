#include "base/platform.h"
#include "base/text_windows.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

namespace gpulint {

// The words main() is given have been through a code page that lacks most letters.
std::vector<std::string> command_line(int, const char* const*) {
  int count = 0;
  wchar_t** words = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> result;
  for (int i = 1; words != nullptr && i < count; ++i) result.push_back(narrow(words[i]));
  LocalFree(words);
  return result;
}

void prepare_standard_streams() {
  for (const int stream : {0, 1, 2}) _setmode(stream, _O_BINARY);
  if (!output_is_terminal() && _isatty(2) == 0) return;
  SetConsoleOutputCP(CP_UTF8);
  const HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
  DWORD mode = 0;
  if (GetConsoleMode(console, &mode) != 0) {
    SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

// NUL is a device of characters to _isatty; a console has a mode.
bool output_is_terminal() {
  DWORD mode = 0;
  return GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
}

bool terminal_has_colors() {
  DWORD mode = 0;
  return GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0 &&
         (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

std::optional<int> terminal_width() {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info) == 0) return std::nullopt;
  return info.srWindow.Right - info.srWindow.Left + 1;
}

std::FILE* open_file(const std::string& path, const char* mode) {
  return _wfopen(wide_path(path).c_str(), wide(mode).c_str());
}

std::string working_folder() {
  std::wstring folder(GetCurrentDirectoryW(0, nullptr), L'\0');
  folder.resize(GetCurrentDirectoryW(static_cast<DWORD>(folder.size()), folder.data()));
  return path_from_windows(folder);
}

bool path_exists(const std::string& path) {
  return GetFileAttributesW(wide_path(path).c_str()) != INVALID_FILE_ATTRIBUTES;
}

bool runs_elevated() { return false; }

}  // namespace gpulint
