#pragma once

// Programs that a project's Python code starts with a command line: `subprocess.run([…])`. The
// program is interpreted like a script that trains, and what it would hand to the system is read as
// a shell script.

#include "catalog/consumers.h"
#include "code/read_code.h"
#include "shell/text.h"

#include <optional>
#include <string_view>

namespace gpulint {

/// A cheap look: the text names a function that starts commands.
bool may_start_commands(std::string_view text, const ScriptMarks& marks);

/// All commands that `request.script` starts, one on a line, in their order; each byte stands in
/// the program's file where that states it. nullopt: it starts none that anybody could follow.
std::optional<ShellText> started_commands(const CodeRequest& request);

}  // namespace gpulint
