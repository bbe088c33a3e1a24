#pragma once

// How the open facts of a step are answered: each alone, and all that keep less together.

#include "memory/step_ways.h"

#include <utility>
#include <vector>

namespace gpulint {

/// What is open, one way per answer; answers that keep less may all be given at once.
class OpenWays {
 public:
  explicit OpenWays(StepWay usual) : all{usual}, least_(std::move(usual)) {}

  template <typename Change>
  void add(Change&& change) {
    all.push_back(all.front());
    change(all.back());
  }
  template <typename Change>
  void add_less(Change&& change) {
    add(change);
    change(least_);
    ++answers_;
  }
  template <typename Change>
  void set(Change&& change) {
    for (StepWay& way : all) change(way);
    change(least_);
  }
  /// The low end of an estimate is what the run needs at least, whatever the answers are.
  void add_least() {
    if (answers_ < 2) return;
    all.push_back(least_);
    all.back().is_joint = true;
  }

  std::vector<StepWay> all;

 private:
  StepWay least_;
  int answers_ = 0;  // that keep less
};

}  // namespace gpulint
