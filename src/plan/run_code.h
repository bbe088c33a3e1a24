#pragma once

// What the code of a project says of a run. Internal to this room.

#include "plan/run.h"

#include <optional>

namespace gpulint {

/// A run whose files are joined.
struct JoinedRun {
  const Document& own;     // the file that names it
  const Document& joined;  // all its files
  const Recognition& recognition;
  bool has_keys = false;
  std::string primary = {};  // the config of which it is one option; "" = none
};

struct RunCode {
  CodeReading code;
  bool trains = false;  // by the code alone, whatever the keys are called
};

/// Scripts of the project that load the config say what its bare keys mean. Configs of a framework
/// are known by the framework, unless projects take its keys for loops of their own as well.
/// nullopt: the code is not asked.
std::optional<RunCode> read_run_code(const RunRequest& request, const JoinedRun& run);

}  // namespace gpulint
