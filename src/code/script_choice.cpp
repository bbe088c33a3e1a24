#include "code/script_choice.h"

#include "base/text.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace gpulint {

std::size_t common_folder(std::string_view a, std::string_view b) {
  std::size_t folders = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) {
    if (a[i] == '/') folders = i + 1;
  }
  return folders;
}

bool lies_among_configs(std::string_view path, const ScriptMarks& marks) {
  const std::string folder = to_lower(parent_path(path));
  const std::string name = to_lower(file_name(path));
  return std::any_of(
      marks.config_places.begin(), marks.config_places.end(), [&](const std::string& word) {
        return folder.find(word) != std::string::npos || name.find(word) != std::string::npos;
      });
}

std::vector<Candidate> candidates(const CodeRequest& request) {
  std::vector<Candidate> found;
  const std::string name(file_name(request.path));
  const std::string stem = name.substr(0, name.rfind('.'));
  for (const Script& script : request.code->scripts(request.root)) {
    Candidate made{&script};
    if (script.path == request.program) return {{&script, true, 0, true, true}};
    made.named = script.text.find(name) != std::string::npos ||
                 (script.is_entry && script.text.find('"' + stem + '"') != std::string::npos);
    made.near = common_folder(script.path, request.path);
    made.takes_config = script.takes_config;
    made.is_train = to_lower(file_name(script.path)).find("train") != std::string::npos;
    found.push_back(made);
  }
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(!a.named, b.near, !a.takes_config, !a.is_train) <
           std::tuple(!b.named, a.near, !b.takes_config, !b.is_train);
  });
  return found;
}

}  // namespace gpulint
