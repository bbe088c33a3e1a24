#pragma once

#include <string>
#include <string_view>

namespace gpulint {

/// Text that stays text: everything Markdown or HTML could read is a character reference, and a
/// zero-width space behind '@' and '#' keeps GitHub from notifying people and linking issues, which
/// it decides after references are resolved. The dot of "www." is broken for the same reason.
std::string markdown_text(std::string_view text);

}  // namespace gpulint
