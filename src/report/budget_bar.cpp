#include "report/budget_bar.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

constexpr int kBarWidth = 20;

int cells_of(Bytes amount, Bytes capacity, int width) {
  if (capacity.count() <= 0) return width;
  const double share = amount.as_double() / capacity.as_double();
  return static_cast<int>(std::clamp(share, 0.0, 1.0) * width + 0.5);
}

std::string vram_part(const Estimate& estimate) {
  if (!estimate.vram || !estimate.usable_vram) return {};
  const VramEstimate& vram = *estimate.vram;
  const Bytes capacity = estimate.usable_vram->low;
  if (vram.lower_bound_only) {
    return fmt::format("VRAM {} at least {} of {}: {}",
                       bar_of(vram.needed.low, vram.needed.low, capacity, kBarWidth),
                       format_binary(vram.needed.low), format_binary(capacity),
                       name_of(estimate.vram_verdict.fit));
  }
  return fmt::format("VRAM {} {} of {}: {}",
                     bar_of(vram.needed.central, vram.needed.high, capacity, kBarWidth),
                     format_binary(vram.needed.central), format_binary(capacity),
                     name_of(estimate.vram_verdict.fit));
}

std::string ram_part(const Estimate& estimate) {
  if (!estimate.ram || !estimate.available_ram) return {};
  const Interval& needed = estimate.ram->needed;
  return fmt::format("RAM {} {} of {}: {}",
                     bar_of(needed.central, needed.high, *estimate.available_ram, kBarWidth),
                     format_decimal(needed.central), format_decimal(*estimate.available_ram),
                     name_of(estimate.ram_verdict.fit));
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

std::string budget_line(const PlanReport& plan) {
  if (!plan.estimated || (plan.gpu == nullptr && plan.host == nullptr)) return {};
  const std::string vram = vram_part(plan.estimate);
  const std::string ram = ram_part(plan.estimate);
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
