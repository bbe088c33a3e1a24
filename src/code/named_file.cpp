#include "code/named_file.h"

#include "base/system_path.h"
#include "base/text.h"

#include <array>

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

}  // namespace gpulint
