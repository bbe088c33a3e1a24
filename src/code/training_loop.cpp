#include "code/training_loop.h"

#include <algorithm>
#include <string>

namespace gpulint {

void TrainingLoop::went_backward(std::span<const python::Side> sides) {
  passes_.emplace(sides.begin(), sides.end());
}

TrainingLoop::Sides TrainingLoop::common_sides(const std::vector<Sides>& lacking) const {
  const auto has_all = [](const Sides& sides, const Sides& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const python::Side& each) {
      return std::find(sides.begin(), sides.end(), each) != sides.end();
    });
  };
  std::vector<Sides> meant(passes_.begin(), passes_.end());
  // `if args.task == "a": train_a(config) else: train_b(config)`: the config is one of either.
  std::erase_if(meant, [&](const Sides& pass) {
    return std::any_of(lacking.begin(), lacking.end(),
                       [&](const Sides& each) { return has_all(pass, each); });
  });
  if (meant.empty()) meant.assign(passes_.begin(), passes_.end());
  Sides common = meant.front();
  for (const Sides& pass : meant)
    std::erase_if(common, [&](const python::Side& each) { return !has_all(pass, {each}); });
  return common;
}

void TrainingLoop::settle(std::vector<SeenFact>& seen, std::size_t end,
                          const std::vector<Sides>& lacking) const {
  settle_paces(seen);
  settle_steps(seen);
  mark_later(seen, end);
  // `for round in range(max_iters): for step in range(n): optimizer.step()`: not as many steps.
  for (const auto& [at, loop] : counted_) {
    const bool is_outer =
        std::any_of(stepped_in_.begin(), stepped_in_.end(),
                    [&](const python::Round& round) { return round.loop == loop; }) &&
        stepped_in_.back().loop != loop;
    if (is_outer) seen[at].fact.known = false;
    // A loss or a solver has loops too: they do not say how long the training is.
    if (!stepping_.empty() && !stepping_.contains(loop)) seen[at].fact.fact.clear();
  }
  if (!passes_.empty()) settle_sides(seen, common_sides(lacking));
  std::erase_if(seen, [](const SeenFact& each) { return each.fact.fact.empty(); });
}

/// What is loaded once the training is over (`from_pretrained(output_dir)`) is not what was
/// trained, nor is an optimizer that comes with it used; where nothing else was, nobody knows the
/// order.
void TrainingLoop::mark_later(std::vector<SeenFact>& seen, std::size_t end) const {
  const std::size_t last = !passes_.empty() ? last_trained_ : last_;
  for (std::size_t i = last; i < end; ++i) {
    const SeenFact& later = seen[i];
    const auto before = seen.begin() + static_cast<std::ptrdiff_t>(last);
    const bool is_stated = std::any_of(seen.begin(), before, [&](const SeenFact& each) {
      return each.fact.fact == later.fact.fact && each.role == later.role && !each.is_default;
    });
    if (is_stated) seen[i].fact.fact.clear();
  }
}

/// `if i % 500 == 0: step(log=True) else: step()`: one step in each round.
void TrainingLoop::settle_paces(std::vector<SeenFact>& seen) {
  for (SeenFact& each : seen) {
    if (!each.paced_by) continue;
    const python::Side other{each.paced_by->decision, !each.paced_by->second};
    const bool is_on_both = std::any_of(seen.begin(), seen.end(), [&](const SeenFact& some) {
      return some.paced_by == other && some.fact.fact == each.fact.fact;
    });
    if (!is_on_both) continue;
    each.fact.known = true;
    each.fact.value = "1";
    each.fact.span = each.fact.call;
    each.fact.from_config = each.fact.computed = false;
  }
}

/// Rounds are steps where each was seen to make one.
void TrainingLoop::settle_steps(std::vector<SeenFact>& seen) const {
  bool is_seen = false;
  bool accumulates = false;
  for (const SeenFact& each : seen) {
    if (each.fact.fact != "gradient_accumulation_steps") continue;
    is_seen = true;
    accumulates = accumulates || !each.fact.known || each.fact.value != "1";
  }
  for (const std::size_t at : steps_)
    seen[at].fact.known = seen[at].fact.known && is_seen && !accumulates;
}

void TrainingLoop::settle_sides(std::vector<SeenFact>& seen, const Sides& sides) const {
  // `for epoch in range(epochs + 1): if epoch > 0: train()`: one round does not train. With other
  // bounds nobody knows how many do.
  for (const Epochs& each : epochs_) {
    const bool trains_in_some =
        std::any_of(sides.begin(), sides.end(),
                    [&](const python::Side& side) { return side.varies == each.loop + 1; });
    if (!trains_in_some) continue;
    CodeFact& fact = seen[each.fact].fact;
    fact.known = fact.known && each.has_extra_round;
  }
  // `if args.mode == "train": train(args)`: a run that trains is on that side, and what is on the
  // other one is not of it.
  for (const python::Side& taken : sides) {
    const python::Side other{taken.decision, !taken.second};
    std::erase_if(seen, [&](const SeenFact& each) {
      return std::find(each.sides.begin(), each.sides.end(), other) != each.sides.end();
    });
    for (SeenFact& each : seen) std::erase(each.sides, taken);
  }
}

}  // namespace gpulint
