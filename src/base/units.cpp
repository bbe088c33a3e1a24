#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace gpulint {
namespace {

/// Three significant digits with a unit chosen so that the number is at least 1.
std::string format_scaled(Bytes bytes, double step, const std::array<std::string_view, 6>& units) {
  double value = bytes.as_double();
  std::size_t unit = 0;
  // 999.5 would be rounded to "1000" of the smaller unit.
  while (unit + 1 < units.size() && std::fabs(value) >= (unit == 0 ? step : step * 0.9995)) {
    value /= step;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} {}", bytes.count(), units[0]);
  const double size = std::fabs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

std::int64_t saturating_round(double value) {
  if (std::isnan(value)) return 0;
  // 2^63 is the first double that does not fit.
  constexpr double kLimit = 9223372036854775808.0;
  if (value >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (value <= -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::round(value));
}

std::string format_binary(Bytes bytes) {
  return format_scaled(bytes, 1024.0, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format_decimal(Bytes bytes) {
  return format_scaled(bytes, 1000.0, {"B", "kB", "MB", "GB", "TB", "PB"});
}

}  // namespace gpulint
