#pragma once

#include "plan/plan.h"
#include "plan/run.h"
#include "plan/run_files.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a composed config asks for and nobody has, list `absent_options`, name: the group or key,
// value: the option, detail: what there is, fact: what is missing:
//   `option`  a group has no such file
//   `group`   the command line names neither a group nor a key
//   `key`     the same behind a `+`, which adds it

namespace gpulint {

class CodeBase;

/// Without its span; nullopt where the folder of the group has no options at all.
std::optional<Observation> absent_option(const RunFiles& files, const std::string& folder,
                                         std::string_view group, std::string_view option);

/// `asked`: undotted changes of the command line. `config`: the run as it is composed.
void observe_absent_groups(const std::vector<Override>& asked, const Document& own,
                           const Document& config, const RunFiles& files,
                           std::vector<Observation>& observations);

/// Where code of the project stores options of groups (`cs.store(group="model", name="small")`),
/// they lie in no file, and none is known to be absent.
void leave_out_stored_options(CodeBase* code, const std::string& root,
                              std::vector<Observation>& observations);

}  // namespace gpulint
