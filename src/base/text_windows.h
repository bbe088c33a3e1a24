#pragma once

// Only for files of Windows: its functions take UTF-16 and '\', the program has UTF-8 and '/'.

#include <string>
#include <string_view>

namespace gpulint {

std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

/// For a function that takes a path. A long absolute one gets the prefix that lifts the limit of
/// 260 characters.
std::wstring wide_path(std::string_view path);

/// A path that Windows gave, as the program writes them: the letter of a drive in upper case.
std::string path_from_windows(std::wstring_view path);

/// Puts what GetLastError says into errno; false, for the caller to return.
bool keep_error();

}  // namespace gpulint
