// Programs that only read and write data, by what they import.

#include "base/text.h"
#include "code/imported_names.h"
#include "code/read_code.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
bool is_idle_program(CodeBase& code, const std::string& root, const std::string& path) {
  const python::Module* program = path.empty() ? nullptr : code.module(root, path);
  const ScriptMarks& marks = code.consumers().scripts();
  if (program == nullptr || has_any(program->text, marks.starts_commands) ||
      has_any(program->text, marks.steps))
    return false;
  const std::vector<std::string_view> names = imported_names(program->text);
  const auto is_plain = [&](std::string_view name) {  // a relative one is not
    return contains(marks.plain_packages, std::string(name.substr(0, name.find('.'))));
  };
  return !names.empty() && std::all_of(names.begin(), names.end(), is_plain);
}

}  // namespace gpulint
