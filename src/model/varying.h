#pragma once

#include "model/program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpulint::model {

/// Fills `Statement::varying` of every loop that has a counter.
void find_varying(Program& program);

/// From iteration `first` on, an iteration is of the kind of the one `length` earlier; 0: none is.
struct Period {
  std::int64_t first = 0;
  std::int64_t length = 0;
  bool begins_at(std::int64_t i) const {
    return length > 0 && i >= first && (i - first) % length == 0;
  }
};

/// The period that leaves most iterations alike to two periods that are run, and at least one of
/// them; none where there is no such. `decided`: by the counter, for every iteration.
Period period_of(const std::vector<std::vector<expr::Value>>& decided);

}  // namespace gpulint::model
