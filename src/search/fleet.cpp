#include "search/fleet.h"

namespace gpulint {
namespace {

FleetVerdict verdict_of(const VramEstimate& vram, const BytesRange& usable, double headroom) {
  if (vram.total.low > usable.high) return FleetVerdict::does_not_fit;
  if (vram.lower_bound_only) return FleetVerdict::unknown;
  const double comfortable = headroom * usable.low.as_double();
  if (vram.total.high > usable.low || vram.total.central.as_double() > comfortable) {
    return FleetVerdict::thin;
  }
  return FleetVerdict::fits;
}

}  // namespace

std::vector<FleetCell> fleet_of(const EstimateRequest& base, std::span<const Gpu* const> gpus,
                                double headroom) {
  std::vector<FleetCell> cells;
  cells.reserve(gpus.size());
  for (const Gpu* gpu : gpus) {
    EstimateRequest request = base;
    request.run = base.run.on({.gpu = gpu});
    const Estimate on_gpu = estimate(request);
    FleetCell& cell = cells.emplace_back();
    cell.gpu = gpu;
    cell.usable = on_gpu.usable_vram;
    if (!on_gpu.vram) continue;
    cell.vram = on_gpu.vram->total;
    cell.lower_bound_only = on_gpu.vram->lower_bound_only;
    if (cell.usable) cell.verdict = verdict_of(*on_gpu.vram, *cell.usable, headroom);
  }
  return cells;
}

}  // namespace gpulint
