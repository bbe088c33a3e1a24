// What files beside a config say of one of its keys.

#include "base/system_path.h"
#include "base/text.h"
#include "code/code_base.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kMostSisters = 64;
constexpr std::size_t kMostBytes = 65'536;  // of one of them

std::string_view without_quotes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("\"'"), text.size()));
}

/// Lines that begin with a key: "  num_workers: 0  # Windows", "num_workers = 0".
void add_lines(std::string_view text, std::string_view key, std::vector<std::string>& lines) {
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    std::string_view begin = without_quotes(line);
    if (!begin.starts_with(key)) continue;
    begin = without_quotes(begin.substr(key.size()));
    begin = trim(begin);
    if (begin.starts_with(':') || begin.starts_with('=')) lines.emplace_back(trim(begin.substr(1)));
  }
}

}  // namespace

const std::vector<std::string>& CodeBase::sister_lines(const std::string& path,
                                                       std::string_view key) {
  const std::string folder(parent_path(path));
  const std::string_view name = file_name(path);
  const std::string ending(name.substr(std::min(name.rfind('.'), name.size())));
  Sisters& known = place_of(sisters_, folder + '\n' + ending + '\n' + std::string(key));
  std::call_once(known.once, [&] {
    const auto entries = reader_.list(folder.empty() ? "." : folder);
    if (!entries || ending.empty()) return;
    std::size_t files = 0;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || !entry.name.ends_with(ending)) continue;
      if (files++ >= kMostSisters) break;
      const auto text = reader_.read(join_path(folder, entry.name), kMostBytes);
      if (text) add_lines(*text, key, known.lines);
    }
  });
  return known.lines;
}

}  // namespace gpulint
