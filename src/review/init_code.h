#pragma once

#include "review/init.h"

#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// What scripts of the project were seen to do with configs.
struct CodeSurvey {
  std::vector<CodeKey> keys = {};      // by key, the likeliest fact of each first
  std::set<std::string> configs = {};  // that they take keys from
};
/// `configs`: those below `request.paths` that no framework claims.
CodeSurvey survey_code(const SessionView& session, const InitRequest& request,
                       const std::set<std::string>& configs);

}  // namespace gpulint
