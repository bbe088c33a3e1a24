// Programs in folders beside a config's: parts of a project that are built alike, each with files
// of its own.

#include "base/text.h"
#include "code/script_choice.h"

#include <algorithm>
#include <string>

namespace gpulint {

/// Where a program of the config's own folder names it without a folder, it is meant there: another
/// one in a folder beside it that names a file of this name has its own, which is not at hand.
void name_none_beside(const CodeRequest& request, std::string_view name,
                      std::vector<Candidate>& all) {
  const std::string_view folder = parent_path(loaded_name(request));
  const auto is_own = [&](const Candidate& each) {
    return each.named && parent_path(each.script->path) == folder;
  };
  if (folder.empty() || folder == "." || std::none_of(all.begin(), all.end(), is_own)) return;
  const std::string_view around = parent_path(folder);
  for (Candidate& each : all) {
    const std::string_view own = parent_path(each.script->path);
    const bool is_beside = own != folder && parent_path(own) == around;
    const bool has_place =
        each.script->text.find(std::string(file_name(folder)) + "/" + std::string(name)) !=
        std::string::npos;
    if (is_beside && !has_place) each.named = false;
  }
}

}  // namespace gpulint
