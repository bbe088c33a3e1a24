#pragma once

#include <string>

namespace gpulint {

/// "84 us", "312 ms", "1.4 s", "13.5 min", "3.4 h".
std::string duration_text(double seconds);

}  // namespace gpulint
