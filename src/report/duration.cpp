#include "report/duration.h"

#include "report/style.h"

#include <fmt/format.h>

namespace gpulint {

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return significant(seconds / 3600, 3) + " h";
}

}  // namespace gpulint
