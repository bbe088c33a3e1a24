#include "code/named_file.h"

#include "base/system_path.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <vector>

namespace gpulint {
namespace {

std::string_view folder_of_root(const CodeRequest& request) {
  return request.root == "." ? std::string_view() : std::string_view(request.root);
}

/// A path of another machine: the longest end of it that the project has.
std::string file_by_end(const CodeRequest& request, std::string_view named) {
  for (std::size_t at = named.find('/'); at != named.npos; at = named.find('/', at + 1)) {
    const std::string_view end = named.substr(at + 1);
    if (end.find('/') == end.npos) break;  // a name alone may be another file's
    std::string path =
        request.code->from_here(normalize_path(join_path(folder_of_root(request), end)));
    if (request.code->is_file(path)) return path;
  }
  return {};
}

}  // namespace

std::string named_file(const CodeRequest& request, std::string_view script,
                       std::string_view named) {
  if (named.empty()) return {};
  const std::array<std::string, 3> candidates = {
      normalize_path(std::string(named)), normalize_path(join_path(folder_of_root(request), named)),
      normalize_path(join_path(parent_path(script), named))};
  for (const std::string& candidate : candidates) {
    const std::string path = request.code->from_here(candidate);
    const bool outside = (path.starts_with("..") && !request.root.starts_with("..")) ||
                         (request.root == "." && is_absolute(path));
    if (!outside && request.code->is_file(path)) return path;
  }
  return is_absolute(named) ? file_by_end(request, named) : std::string();
}

bool is_never_made_file(const CodeRequest& request, std::string_view script,
                        std::string_view named) {
  const std::string_view folder = parent_path(named);
  if (is_absolute(named) || folder.empty() || !named_file(request, script, named).empty())
    return false;
  for (const std::string_view base : {folder_of_root(request), parent_path(script)}) {
    const std::string path = request.code->from_here(normalize_path(join_path(base, folder)));
    if (path.starts_with("..") || !request.code->is_folder(path)) continue;
    const std::vector<std::string> files = request.code->files_in(request.root, path);
    return !files.empty() && std::none_of(files.begin(), files.end(), [&](const std::string& name) {
      const python::Module* module = request.code->module(request.root, join_path(path, name));
      return module == nullptr ||
             request.code->acting(*module).find(file_name(named)) != std::string::npos;
    });
  }
  return false;
}

}  // namespace gpulint
