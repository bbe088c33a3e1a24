#include "report/markdown_text.h"

#include "base/text.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || std::string_view(" .,-+%/=()?;").find(c) != std::string::npos;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string result;
  const std::string shown = escape_for_display(text);
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const char c = shown[at];
    const bool link = c == '.' && at >= 3 && to_lower(shown.substr(at - 3, 3)) == "www";
    if (is_plain(c) && !link) {
      result += c;
      continue;
    }
    result += fmt::format("&#{};", static_cast<unsigned char>(c));
    if (c == '@' || c == '#' || link) result += "&#8203;";
  }
  return result;
}

}  // namespace gpulint
