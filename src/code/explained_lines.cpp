#include "code/explained_lines.h"

#include "base/text.h"
#include "source/reasons.h"

#include <algorithm>

namespace gpulint {

std::vector<SourceSpan> explained_lines(FileId file, std::string_view code) {
  std::vector<SourceSpan> lines;
  bool is_explained = false;  // by the comment above
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    const std::string_view line = code.substr(at, end - at);
    const std::size_t comment = std::min(line.find('#'), line.size());
    const bool gives = gives_reason(line.substr(comment));
    if (comment < line.size() && trim(line.substr(0, comment)).empty()) {
      is_explained = is_explained || gives;
    } else {
      if (is_explained || gives)
        lines.push_back({file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
      is_explained = false;
    }
    at = end + 1;
  }
  return lines;
}

}  // namespace gpulint
