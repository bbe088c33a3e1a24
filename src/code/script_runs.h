#pragma once

// One run of a script, as script_reader.cpp makes it and script_runs.cpp asks for it. Internal to
// this room; script_reader.h is what others use.

#include "code/following_host.h"
#include "code/script_reader.h"

#include <vector>

namespace gpulint {

/// What is looked at before a config is at hand.
struct ScriptHabits {
  bool asks_for_config = false;
  bool asks_again = false;  // for another, or the same one
  bool stopped = false;
  bool has_switch = false;
  std::vector<SeenFact> seen;
};

ScriptRun read_script(const CodeRequest& request, const Script& script,
                      const ScriptSetting& setting);
ScriptHabits habits_of(const CodeRequest& request, const Script& script,
                       const ScriptSetting& setting);

}  // namespace gpulint
