#include "code/imported_names.h"

#include "base/text.h"

namespace gpulint {

std::vector<std::string_view> imported_names(std::string_view text) {
  std::vector<std::string_view> names;
  for (const std::string_view line : split(text, '\n')) {
    std::string_view rest = trim(line);
    const bool is_from = rest.starts_with("from ");
    if (!is_from && !rest.starts_with("import ")) continue;
    rest.remove_prefix(rest.find(' '));
    if (is_from) rest = rest.substr(0, rest.find(" import"));
    for (std::string_view name : split(rest, ',')) {
      name = trim(name);
      std::size_t end = 0;
      while (end < name.size() && (is_name_part(name[end]) || name[end] == '.')) ++end;
      names.push_back(name.substr(0, end));
    }
  }
  return names;
}

}  // namespace gpulint
