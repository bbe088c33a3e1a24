#include "catalog/known_keys.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint {
namespace {

void add_path(KnownKeys& known, std::string_view path) {
  if (path.find_first_of("*/=") != std::string_view::npos) return;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    const std::string parent = begin == 0 ? std::string() : std::string(path.substr(0, begin - 1));
    known[parent].push_back(compared_spelling(path.substr(begin, dot - begin)));
    begin = dot + 1;
  }
}

}  // namespace

std::string compared_spelling(std::string_view key) {
  std::string text = to_lower(key);
  while (text.starts_with('-')) text.erase(0, 1);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

KnownKeys known_keys_of(const std::vector<std::string>& paths) {
  KnownKeys known;
  for (const std::string& path : paths) add_path(known, path);
  for (auto& [parent, keys] : known) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  return known;
}

}  // namespace gpulint
