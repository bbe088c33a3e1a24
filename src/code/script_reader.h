#pragma once

// One script, run with the config at hand. Internal to this room.

#include "code/read_code.h"
#include "code/seen_facts.h"

#include <set>
#include <string>
#include <vector>

namespace gpulint {

struct ScriptRun {
  std::vector<SeenFact> seen;
  std::vector<SourceSpan> handed_on;  // mappings of the config that leave the project whole
  std::set<std::string> modules;      // paths
  std::set<std::string> loaded;       // other configs
  bool loads_config = false;          // the one that is asked about
  SourceSpan loaded_at;
  bool truncated = false;  // a limit left something out
};

/// `by_option`: the config takes the place of what the script loads by default.
ScriptRun run_script(const CodeRequest& request, const Script& script, bool by_option);

/// Whether the script asks for a config at all, whatever that says.
bool asks_for_config(const CodeRequest& request, const Script& script);

}  // namespace gpulint
