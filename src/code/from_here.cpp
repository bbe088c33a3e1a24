#include "code/from_here.h"

#include "base/text.h"

#include <string_view>
#include <vector>

namespace gpulint {

std::string from_here(const FileReader& reader, std::string path) {
  constexpr std::string_view kUp = "../";
  std::size_t ups = 0;
  while (std::string_view(path).substr(ups * kUp.size()).starts_with(kUp)) ++ups;
  if (ups == 0) return path;
  const std::string here = reader.canonical(".");
  const std::vector<std::string_view> folders = split(here, '/');
  if (!here.starts_with('/') || ups >= folders.size()) return path;
  std::string_view rest = std::string_view(path).substr(ups * kUp.size());
  while (ups > 0) {
    const std::string_view inner = folders[folders.size() - ups];
    if (!rest.starts_with(inner) || !rest.substr(inner.size()).starts_with('/')) break;
    rest.remove_prefix(inner.size() + 1);
    --ups;
  }
  std::string spelled;
  for (std::size_t i = 0; i < ups; ++i) spelled += kUp;
  return spelled.append(rest);
}

}  // namespace gpulint
