// Programs that only read and write data, by what they import.

#include "base/text.h"
#include "code/read_code.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

/// Of each import of a module, whatever stands behind a dot; "" where it is relative.
std::vector<std::string_view> imported_packages(std::string_view text) {
  std::vector<std::string_view> packages;
  for (const std::string_view line : split(text, '\n')) {
    std::string_view rest = trim(line);
    const bool is_import = rest.starts_with("import ") || rest.starts_with("from ");
    if (!is_import) continue;
    rest = trim(rest.substr(rest.find(' ')));
    std::size_t end = 0;
    while (end < rest.size() && is_name_part(rest[end])) ++end;
    packages.push_back(rest.substr(0, end));
  }
  return packages;
}

}  // namespace

bool is_idle_program(CodeBase& code, const std::string& root, const std::string& path) {
  const python::Module* program = path.empty() ? nullptr : code.module(root, path);
  const ScriptMarks& marks = code.consumers().scripts();
  if (program == nullptr || has_any(program->text, marks.starts_commands) ||
      has_any(program->text, marks.steps))
    return false;
  const std::vector<std::string_view> packages = imported_packages(program->text);
  const auto is_plain = [&](std::string_view package) {
    return contains(marks.plain_packages, std::string(package));
  };
  return !packages.empty() && std::all_of(packages.begin(), packages.end(), is_plain);
}

}  // namespace gpulint
