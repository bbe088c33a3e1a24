#include "lsp/python_places.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lint/folders.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gpulint::lsp {
namespace {

bool is_dotted_name(std::string_view name) {
  if (name.find('.') == std::string_view::npos) return false;
  const std::vector<std::string_view> parts = split(name, '.');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() && is_name_start(part.front()) &&
           std::all_of(part.begin(), part.end(), is_name_part);
  });
}

/// The line that defines a name at the top level of a module; the first where none does.
std::uint32_t line_defining(std::string_view text, std::string_view name) {
  const LineIndex lines(text);
  for (std::uint32_t line = 1; line <= lines.line_count(); ++line) {
    std::string_view at = lines.line(text, line);
    for (const std::string_view word : {"async ", "def ", "class "}) {
      if (at.starts_with(word)) at.remove_prefix(word.size());
    }
    const bool begins =
        at.starts_with(name) && (at.size() == name.size() || !is_name_part(at[name.size()]));
    if (begins) return line - 1;
  }
  return 0;
}

}  // namespace

std::optional<CodePlace> python_definition(const FileReader& files, const std::string& root,
                                           const std::string& config, std::string_view name) {
  if (!is_dotted_name(name)) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  std::string module(name.substr(0, dot));
  std::replace(module.begin(), module.end(), '.', '/');
  for (std::string at = folder_of(config); at.starts_with(root); at = folder_of(at)) {
    for (const std::string& folder : {at, join_path(at, "src")}) {
      for (const char* ending : {".py", "/__init__.py"}) {
        const std::string path = join_path(folder, module + ending);
        if (files.kind(path) != FileKind::regular) continue;
        const auto text = files.read(path, ReadLimits{}.max_bytes);
        if (text) return CodePlace{path, line_defining(*text, name.substr(dot + 1))};
      }
    }
    if (at == root || is_root(at)) break;
  }
  return std::nullopt;
}

std::optional<CodePlace> stated_place(const FileReader& files, const std::string& root,
                                      std::string_view place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view number = place.substr(colon + 1);
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
  if (error != std::errc() || end != number.data() + number.size() || line == 0) {
    return std::nullopt;
  }
  const std::string path = normalize_path(join_path(root, place.substr(0, colon)));
  if (files.kind(path) != FileKind::regular) return std::nullopt;
  return CodePlace{path, line - 1};
}

}  // namespace gpulint::lsp
