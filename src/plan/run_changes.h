#pragma once

// What is changed in a config before anybody asks for its dialect: by the command that starts it,
// and by `--set`. Internal to this room.

#include "plan/run.h"
#include "plan/run_layers.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

struct RunChanges {
  std::vector<Layer> layers;         // weakest first: a command's, then those asked for by hand
  std::vector<std::string> removed;  // dotted paths
  std::vector<Override> asked;       // by hand, undotted
  std::vector<std::pair<std::string, std::string>> chosen;  // group -> option
  const Document* by_command = nullptr;         // what the command states, if it states anything
  std::vector<std::unique_ptr<Document>> made;  // that layers point into
};

bool has_changes(const RunRequest& request);

/// `config`: path of the file beside which groups lie.
RunChanges changes_of(const RunRequest& request, std::string_view config);

}  // namespace gpulint
