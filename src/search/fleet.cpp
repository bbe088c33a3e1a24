#include "search/fleet.h"

namespace gpulint {

std::vector<FleetCell> fleet_of(const EstimateRequest& base, std::span<const Gpu* const> gpus) {
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
    cell.vram = on_gpu.vram->needed;
    cell.lower_bound_only = on_gpu.vram->lower_bound_only;
    cell.verdict = on_gpu.vram_verdict;
  }
  return cells;
}

}  // namespace gpulint
