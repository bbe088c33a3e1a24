#include "plan/run_paths.h"

#include "base/system_path.h"
#include "base/text.h"
#include "source/data_files.h"
#include "source/interpolation.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::size_t kLongestPath = 4096;  // PATH_MAX of Linux
constexpr int kMostFolders = 64;            // climbed from a config to its project's root

/// Why a text names no file of ours, or "".
std::string why_no_path(std::string_view name) {
  if (trim(name).empty()) return "it names nothing";
  if (name.size() > kLongestPath) return "it is longer than a path can be";
  if (is_placeholder(name)) return "it stands for a value given elsewhere";
  if (name.find("://") != std::string_view::npos) return "it is an address, and nothing is fetched";
  if (name.starts_with('~')) return "it lies outside the project";
  const bool odd = std::any_of(name.begin(), name.end(),
                               [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return odd ? "it holds control characters" : "";
}

NamedPath at(const RunFiles& files, const std::string& root, const std::string& path,
             FileKind wanted) {
  const FileKind kind = files.kind(path);
  if (kind == FileKind::missing) return {"", "no such file", true};
  // Its name is nobody's business either when it lies outside.
  if (!is_inside(files, root, path)) return {"", "it lies outside the project", false};
  if (kind != wanted) return {"", "it is not a regular file", false};
  return {path};
}

}  // namespace

bool is_inside(const RunFiles& files, const std::string& root, const std::string& path) {
  const std::string real_root = files.canonical(root);
  const std::string real = files.canonical(path);
  if (real_root.empty() || real_root == ".") {
    return !is_absolute(real) && real != ".." && !real.starts_with("../");
  }
  if (!real.starts_with(real_root)) return false;
  return real_root.ends_with('/') || real.size() == real_root.size() ||
         real[real_root.size()] == '/';
}

NamedPath find_beside(const RunFiles& files, const std::string& root, std::string_view from,
                      std::string_view name, FileKind wanted) {
  if (kHasDrives && name.find('\\') != std::string_view::npos) {
    return find_beside(files, root, from, with_slashes(std::string(name)), wanted);
  }
  if (std::string why = why_no_path(name); !why.empty()) return {"", std::move(why)};
  const bool absolute = is_absolute(name);
  return at(files, root,
            normalize_path(absolute ? std::string(name) : join_path(parent_path(from), name)),
            wanted);
}

NamedPath find_around(const RunFiles& files, const std::string& root, std::string_view from,
                      std::string_view name, FileKind wanted) {
  if (kHasDrives && name.find('\\') != std::string_view::npos) {
    return find_around(files, root, from, with_slashes(std::string(name)), wanted);
  }
  if (is_absolute(name)) return find_beside(files, root, from, name, wanted);
  if (std::string why = why_no_path(name); !why.empty()) return {"", std::move(why)};
  NamedPath nearest;
  std::string folder(parent_path(from));
  for (int step = 0; step < kMostFolders; ++step) {
    NamedPath found = at(files, root, normalize_path(join_path(folder, name)), wanted);
    if (!found.path.empty()) return found;
    if (step == 0 || nearest.is_missing) nearest = std::move(found);
    const std::string up = normalize_path(join_path(folder, ".."));
    if (up == folder || !is_inside(files, root, up.empty() ? "." : up)) break;
    folder = up;
  }
  return nearest;
}

NamedPath find_reference(const RunFiles& files, const std::string& root, std::string_view from,
                         std::string_view name) {
  NamedPath found = find_around(files, root, from, name);
  if (!found.is_missing) return found;
  found.why = "not found in the project";
  if (!is_absolute(name)) return found;
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
    const std::string_view end = name.substr(at + 1);
    if (end.find('/') == end.npos) break;  // a name alone may be another file's
    NamedPath inside = find_around(files, root, from, end);
    if (!inside.path.empty()) return inside;
  }
  return found;
}

bool names_a_config(std::string_view text) {
  if (text.empty() || text.find_first_of("\n\r") != std::string_view::npos) return false;
  if (text.find("::") != std::string_view::npos) return false;  // of another package: mmdet::x.py
  const std::string ending = extension(text);
  return (is_data_file_name(text) || ending == "py" || ending == "conf") && !is_placeholder(text);
}

}  // namespace gpulint
