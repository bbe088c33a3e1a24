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

/// The entries that are not refused, in their order.
std::string safe_library_path(std::string_view ld_library_path, const std::string& linted_folder);

/// Whether an absolute, resolved path lies in such a folder; "" and "/" hold nothing.
bool is_inside(std::string_view path, std::string_view folder);

/// A static program has no loader that could open one.
bool can_load_libraries();

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

/// Looks functions up and remembers the first required one that is missing.
class SymbolTable {
 public:
  explicit SymbolTable(const Library& library) : library_(library) {}

  template <class Function>
  void need(Function*& function, const char* name) {
    want(function, name);
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  template <class Function>
  void want(Function*& function, const char* name) {
    // POSIX lets the address of a function travel through void*.
    function = reinterpret_cast<Function*>(library_.symbol(name));
  }
  const std::string& missing() const { return missing_; }

 private:
  const Library& library_;
  std::string missing_;
};

}  // namespace gpulint::probe
