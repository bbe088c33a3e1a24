#include "report/budget_bar.h"

#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

constexpr int kBarWidth = 20;
/// Share of the card below which a lower bound says nothing of what the run needs.
constexpr double kWeak = 0.5;

int cells_of(Bytes amount, Bytes capacity, int width) {
  if (capacity.count() <= 0) return width;
  const double share = amount.as_double() / capacity.as_double();
  return static_cast<int>(std::clamp(share, 0.0, 1.0) * width + 0.5);
}

/// "VRAM [####] 18.2 GiB of 22.1 GiB: fits", in the colour of the verdict.
std::string part_of(std::string_view memory, const std::string& bar, const std::string& needed,
                    const std::string& capacity, Fit fit, bool color) {
  const Role role = role_of(fit);
  return fmt::format("{} {} {} of {}: {}", memory, paint(bar, role, color), needed, capacity,
                     paint(name_of(fit), role, color));
}

std::string vram_part(const Estimate& estimate, bool color) {
  if (!counts_network(estimate) || !estimate.usable_vram) return {};
  const VramEstimate& vram = *estimate.vram;
  const Bytes capacity = estimate.usable_vram->low;
  const Bytes shown = vram.lower_bound_only ? vram.needed.low : vram.needed.central;
  const Bytes high = vram.lower_bound_only ? vram.needed.low : vram.needed.high;
  const bool is_weak = vram.lower_bound_only && estimate.vram_verdict.fit == Fit::unknown &&
                       shown.as_double() < kWeak * capacity.as_double();
  if (is_weak) {  // a bar that is nearly empty would look like room
    return fmt::format(
        "VRAM {}, at least {} of {}",
        paint(name_of(estimate.vram_verdict.fit), role_of(estimate.vram_verdict.fit), color),
        format_binary(shown), format_binary(capacity));
  }
  return part_of("VRAM", bar_of(shown, high, capacity, kBarWidth),
                 (vram.lower_bound_only ? "at least " : "") + format_binary(shown),
                 format_binary(capacity), estimate.vram_verdict.fit, color);
}

std::string ram_part(const Estimate& estimate, bool color) {
  if (!estimate.ram || !estimate.available_ram) return {};
  const Interval& needed = estimate.ram->needed;
  return part_of("RAM", bar_of(needed.central, needed.high, *estimate.available_ram, kBarWidth),
                 format_decimal(needed.central), format_decimal(*estimate.available_ram),
                 estimate.ram_verdict.fit, color);
}

}  // namespace

std::string bar_of(Bytes central, Bytes high, Bytes capacity, int width) {
  const int solid = cells_of(central, capacity, width);
  const int possible = std::max(solid, cells_of(high, capacity, width));
  std::string bar(static_cast<std::size_t>(solid), '#');
  bar.append(static_cast<std::size_t>(possible - solid), '+');
  bar.append(static_cast<std::size_t>(width - possible), '.');
  if (central > capacity && !bar.empty()) bar.back() = '!';
  return "[" + bar + "]";
}

std::string budget_line(const PlanReport& plan, bool color) {
  if (!plan.estimated || (plan.gpu == nullptr && plan.host == nullptr)) return {};
  const std::string vram = vram_part(plan.estimate, color);
  const std::string ram = ram_part(plan.estimate, color);
  if (vram.empty() && ram.empty()) return {};
  std::string line = vram;
  if (!vram.empty() && !ram.empty()) line += "  ";
  line += ram;
  line += "  on ";
  if (plan.gpu != nullptr) line += plan.gpu->id;
  if (plan.gpu != nullptr && plan.host != nullptr) line += ", ";
  if (plan.host != nullptr) line += plan.host->id;
  return line;
}

}  // namespace gpulint
