#pragma once

// Which environment variables a file may set. Internal to this room.

#include <string>
#include <string_view>
#include <unordered_set>

namespace gpulint {

/// Words in capitals that a script, a text or a file of settings has outside of comments, or that
/// Python code has as a text and does not read as a variable: `os.environ["NAME"] = "1"`.
void note_set_variables(std::string_view text, bool is_python,
                        std::unordered_set<std::string>& into);

}  // namespace gpulint
