#pragma once

// What paths begin with. Inside the program they have '/' on every system; Windows has drives
// ("C:/a") and shares ("//server/share/a") besides, and people there write '\'.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace gpulint {

#ifdef _WIN32
inline constexpr bool kHasDrives = true;
#else
inline constexpr bool kHasDrives = false;
#endif

/// Bytes of the drive or share that a path names; 0 where there is none, or no such thing.
inline std::size_t drive_size(std::string_view path) {
  if (!kHasDrives || path.size() < 2) return 0;
  const char letter = path[0];
  const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  if (is_letter && path[1] == ':') return path.size() == 2 || path[2] == '/' ? 2 : 0;
  if (!path.starts_with("//") || path.size() == 2 || path[2] == '/') return 0;
  const std::size_t share = path.find('/', 2);
  return share == std::string_view::npos ? path.size()
                                         : std::min(path.find('/', share + 1), path.size());
}

inline bool is_absolute(std::string_view path) {
  return path.starts_with('/') || drive_size(path) > 0;
}

/// "/", "C:/": what has no folder around it.
inline bool is_root(std::string_view path) {
  const std::string_view rest = path.substr(drive_size(path));
  return rest == "/" || (rest.empty() && !path.empty());
}

/// As the program writes paths. Elsewhere than on Windows '\' is a letter of a name.
inline std::string with_slashes(std::string path) {
  if (kHasDrives) std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

}  // namespace gpulint
