#include "code/training_loop.h"

#include <algorithm>

namespace gpulint {

void TrainingLoop::went_backward(std::span<const python::Side> sides) {
  if (!sides_) {
    sides_.emplace(sides.begin(), sides.end());
    return;
  }
  std::erase_if(*sides_, [&](const python::Side& each) {
    return std::find(sides.begin(), sides.end(), each) == sides.end();
  });
}

void TrainingLoop::settle(std::vector<SeenFact>& seen) const {
  // `for round in range(max_iters): for step in range(n): optimizer.step()`: not as many steps.
  for (const auto& [at, loop] : counted_) {
    const bool is_outer =
        std::any_of(stepped_in_.begin(), stepped_in_.end(),
                    [&](const python::Round& round) { return round.loop == loop; }) &&
        stepped_in_.back().loop != loop;
    if (is_outer) seen[at].fact.known = false;
  }
  if (!sides_) return;
  // `if args.mode == "train": train(args)`: a run that trains is on that side, and what is on the
  // other one is not of it.
  for (const python::Side& taken : *sides_) {
    const python::Side other{taken.decision, !taken.second};
    std::erase_if(seen, [&](const SeenFact& each) {
      return std::find(each.sides.begin(), each.sides.end(), other) != each.sides.end();
    });
    for (SeenFact& each : seen) std::erase(each.sides, taken);
  }
}

}  // namespace gpulint
