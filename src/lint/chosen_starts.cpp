#include "lint/chosen_starts.h"

#include "code/code_base.h"
#include "code/training_switches.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gpulint {
namespace {

/// An evaluation by the config of another command's training says nothing of that.
void drop_evaluations(const LintShared& shared, std::vector<StartedRun>& started) {
  if (started.size() < 2 || shared.code == nullptr) return;
  const ScriptMarks& marks = shared.code->consumers().scripts();
  const auto only_evaluates = [&](const StartedRun& each) {
    return turns_training_off(shared, each) ||
           (evaluates_by_switch(*each.launch->all, marks) &&
            trains_by_switch(*each.launch->all, marks) != true);
  };
  if (!std::all_of(started.begin(), started.end(), only_evaluates))
    std::erase_if(started, only_evaluates);
}

/// Of a config that a loop starts a hundred times, some from first to last say what all agree on.
void keep_some(std::vector<StartedRun>& started) {
  constexpr std::size_t kMostStarts = 16;
  const std::size_t all = started.size();
  if (all <= kMostStarts) return;
  for (std::size_t i = 0; i < kMostStarts; ++i) {
    const std::size_t from = i * (all - 1) / (kMostStarts - 1);
    if (from != i) started[i] = std::move(started[from]);
  }
  started.resize(kMostStarts);
}

}  // namespace

bool turns_training_off(const LintShared& shared, const StartedRun& started) {
  return shared.code != nullptr && !started.program.empty() &&
         trains_by_switch(*started.launch->all, shared.code->consumers().scripts()) == false;
}

void choose_starts(const LintShared& shared, std::vector<StartedRun>& started) {
  drop_evaluations(shared, started);
  keep_some(started);
}

}  // namespace gpulint
