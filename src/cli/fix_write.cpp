#include "cli/fix_write.h"

#include "base/system_path.h"
#include "base/text.h"
#include "disk/system_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace gpulint::cli {
namespace {

Failure refused(const std::string& path, std::string why) {
  return fail(Error{.message = "not fixed: " + std::move(why), .file = path});
}

/// The part of a path that was found rather than named: behind the folder it was found under.
std::string_view found_part(std::string_view path, std::span<const std::string> named) {
  std::string_view found = file_name(path);
  for (const std::string& root : named) {
    const std::string folder = normalize_path(root);
    if (folder == ".") {
      if (!is_absolute(path) && !path.starts_with("../")) found = path;
    } else if (path.size() > folder.size() && path.starts_with(folder) &&
               (path[folder.size()] == '/' || folder.ends_with('/'))) {
      const std::string_view rest = path.substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
      if (rest.size() > found.size()) found = rest;
    }
  }
  return found;
}

/// The first symbolic link a path leads through behind what was named; "" = none.
std::string link_on_the_way(const std::string& path, std::span<const std::string> named) {
  const std::string_view found = found_part(path, named);
  std::size_t end = path.size() - found.size();
  while (end <= path.size()) {
    const std::size_t slash = path.find('/', end);
    const std::string part = path.substr(0, slash);
    if (disk::is_symlink(part)) return part;
    if (slash == std::string::npos) break;
    end = slash + 1;
  }
  return {};
}

Result<void> replace_checked(const std::string& path, const FixWrite& write) {
  auto replaced = disk::replace_text(path, write.before, write.after);
  if (!replaced) return refused(path, replaced.error().message);
  return {};
}

}  // namespace

Result<void> write_fixed(const FixWrite& write, std::span<const std::string> named) {
  const std::string link = link_on_the_way(write.path, named);
  if (link.empty()) return replace_checked(write.path, write);
  if (!write.follow_symlinks) {
    return refused(write.path,
                   fmt::format("{} is a symbolic link; --follow-symlinks writes where it leads",
                               link == write.path ? "it" : link));
  }
  const auto real = disk::real_path(write.path);
  if (!real) {
    return refused(write.path, fmt::format("its link leads nowhere: {}", std::strerror(errno)));
  }
  return replace_checked(*real, write);
}

}  // namespace gpulint::cli
