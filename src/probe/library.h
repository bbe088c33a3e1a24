#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// Why loading a library under this LD_LIBRARY_PATH could run somebody else's code, or nothing: the
/// loader searches these folders first, and a constructor runs the moment a library is opened.
/// Refused are empty and relative entries (they mean the working directory) and entries inside
/// `linted_folder` (absolute and resolved; "" or "/" = none), which holds files under review.
std::optional<std::string> unsafe_library_path(std::string_view ld_library_path,
                                               const std::string& linted_folder);

/// A shared library opened at run time. It stays loaded: GPU drivers do not survive being closed.
class Library {
 public:
  /// `name`: a bare soname, looked up by the system's loader (never in the working directory), or
  /// an absolute path. Any other path is refused.
  static Result<Library> open(const std::string& name);

  /// Address of a symbol, or nullptr.
  void* symbol(const char* name) const;
  /// The file that was loaded; "" when the loader does not say.
  const std::string& path() const { return path_; }

 private:
  Library(void* handle, std::string path);
  void* handle_;
  std::string path_;
};

}  // namespace gpulint::probe
