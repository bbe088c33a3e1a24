#pragma once

#include "estimate/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// VRAM over usual values of the facts a config leaves open: what a person would ask next where the
/// estimate can only give a lower bound.
struct WhatIf {
  struct Axis {
    std::string fact;  // "" = the axis has one nameless place
    std::vector<std::string> values;
  };
  Axis rows;             // sequence_length, image_size or per_device_batch_size
  Axis columns;          // world_size
  bool sharded = false;  // how ranks share their states is open too: several are supposed to split
                         // all of them (stage 3), the least a rank can need
  struct Cell {
    VramEstimate vram;
    MemoryVerdict verdict;
  };
  std::vector<std::optional<Cell>> cells;  // row by row; nullopt: unknown even so

  const std::optional<Cell>& cell(std::size_t row, std::size_t column) const {
    return cells[row * columns.values.size() + column];
  }
};

/// nullopt where the estimate stands without it, and where no usual value of one row fact and the
/// number of ranks would bound it. `known` is the estimate of the same request. Costs at most 20
/// estimates.
std::optional<WhatIf> what_if(const EstimateRequest& request, const Estimate& known);

}  // namespace gpulint
