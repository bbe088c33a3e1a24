#pragma once

#include <string_view>

namespace gpulint {

/// The fact a key most likely states, judged by the words of its name and the form of its value; ""
/// when it looks like none. `path`: dotted. Keys of evaluation, inference and serving are none.
std::string_view guess_fact(std::string_view path, std::string_view value);

}  // namespace gpulint
