#include "host/library.h"

#include "base/text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <dlfcn.h>
#ifdef __linux__
#include <link.h>
#include <sys/auxv.h>
#endif
#include <memory>
#include <utility>

namespace gpulint::probe {
namespace {

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? normalize_path(path) : std::string(real.get());
}

}  // namespace

bool can_load_libraries() {
#ifdef __linux__
  return getauxval(AT_BASE) != 0;  // where the kernel put the loader
#else
  return true;
#endif
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder.empty() || folder == "/") return false;
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::optional<std::string> unsafe_library_path(std::string_view ld_library_path,
                                               const std::string& linted_folder) {
  if (ld_library_path.empty()) return std::nullopt;
  // ld.so takes ':' and ';' alike.
  for (const std::string_view part : split(ld_library_path, ':')) {
    for (const std::string_view entry : split(part, ';')) {
      if (entry.empty()) {
        return "LD_LIBRARY_PATH has an empty entry, which means the working directory";
      }
      if (entry.front() != '/') {
        return fmt::format("LD_LIBRARY_PATH has the relative entry \"{}\"", entry);
      }
      if (is_inside(resolved(std::string(entry)), linted_folder)) {
        return fmt::format("LD_LIBRARY_PATH has the entry \"{}\" inside the linted folder", entry);
      }
    }
  }
  return std::nullopt;
}

std::string safe_library_path(std::string_view ld_library_path, const std::string& linted_folder) {
  std::string kept;
  for (const std::string_view part : split(ld_library_path, ':')) {
    for (const std::string_view entry : split(part, ';')) {
      if (entry.empty() || unsafe_library_path(entry, linted_folder)) continue;
      if (!kept.empty()) kept += ':';
      kept += entry;
    }
  }
  return kept;
}

Library::Library(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

Result<Library> Library::open(const std::string& name) {
  if (name.empty() || (name.front() != '/' && name.find('/') != std::string::npos)) {
    return fail(fmt::format("\"{}\" is neither a library's bare name nor an absolute path", name));
  }
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    return fail(why == nullptr ? fmt::format("{} cannot be loaded", name) : std::string(why));
  }
  std::string path;
#ifdef __linux__
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path = map->l_name;
#endif
  return Library(handle, std::move(path));
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace gpulint::probe
