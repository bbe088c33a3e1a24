#include "code/script_text.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpulint {

std::vector<std::string> options_in(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at + 2)) {
    const char quote = at > 0 ? text[at - 1] : ' ';
    if (quote != '"' && quote != '\'') continue;
    const std::size_t end = text.find_first_of("\"'\n ", at);
    if (end == text.npos) break;
    if (text[end] == quote && end > at + 2) found.emplace_back(text.substr(at, end - at));
  }
  return found;
}

std::string_view rate_scaling_in(std::string_view text) {
  constexpr std::array<std::string_view, 3> kFactors = {"batch_size", "world_size", "num_gpus"};
  for (std::size_t at = text.find("lr"); at != text.npos; at = text.find("lr", at + 2)) {
    const std::size_t before = text.rfind('\n', at);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(begin, end - begin));
    at = end;
    const std::size_t equals = line.find('=');
    const std::size_t rate = line.find("lr");
    if (line.starts_with('#') || equals == line.npos || rate > equals) continue;
    const std::string_view value = line.substr(equals);
    const bool scales = value.find("lr") != value.npos && value.find(" * ") != value.npos &&
                        std::any_of(kFactors.begin(), kFactors.end(), [&](std::string_view factor) {
                          return value.find(factor) != value.npos;
                        });
    if (scales) return line;
  }
  return {};
}

}  // namespace gpulint
