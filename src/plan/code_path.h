#pragma once

#include "base/source_span.h"

#include <string>
#include <vector>

namespace gpulint {

/// The way of a value through the code of its project: from the scripts that load the config to the
/// call that takes the value.
struct CodePath {
  std::string fact;                  // what the call states by it, or a key of its framework
  bool from_config = false;          // false: the value stands in the code
  bool computed = false;             // the call gets what was worked out of it
  bool agreed = true;                // false: calls or scripts disagree, so it states nothing
  SourceSpan span = {};              // of the value
  std::string pointer = {};          // of its key in the config
  std::vector<std::string> loaders;  // "train.py:12", or "train.py" where it is handed the config
  std::string taken_at = {};         // "train.py:33"
  std::string taken_by = {};         // "torch.optim.AdamW(lr=cfg.speed)"
};

/// What of its network the code of the project does not tell.
struct UnknownPart {
  std::string fact;        // "parameters", or "activations": of a step
  std::string what;        // "Net.encoder"
  std::string at = {};     // "models/net.py:12", of the code that nobody could follow first
  std::string code = {};   // as it is written there
  bool decides = false;    // a condition that nobody can decide
};

}  // namespace gpulint
