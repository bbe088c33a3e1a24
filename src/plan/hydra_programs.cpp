#include "plan/hydra_programs.h"

#include "base/text.h"
#include "code/code_base.h"
#include "code/read_code.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gpulint {

bool is_named_by_training(CodeBase& code, const std::string& root, const std::string& config) {
  const std::string name(file_name(config));
  const std::string stem = name.substr(0, name.rfind('.'));
  const std::vector<Script>& scripts = code.scripts(root);
  return std::any_of(scripts.begin(), scripts.end(), [&](const Script& script) {
    if (!script.is_entry || !script.trains) return false;
    const std::string named = entry_config(code, root, script.path).name;
    if (!named.empty()) return named == name || named == stem;
    return script.text.find('"' + name + '"') != std::string::npos ||
           script.text.find('"' + stem + '"') != std::string::npos ||
           script.text.find('\'' + stem + '\'') != std::string::npos;
  });
}

}  // namespace gpulint
