// What of a step could not be followed.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <algorithm>

namespace gpulint {

using python::kNone;

void FollowedStep::lost(std::string_view what, SourceSpan place) {
  constexpr std::size_t kMostLost = 64;
  if (lost_.size() < kMostLost)
    lost_.push_back({std::string(what), place, statements_.size(), false, cause_});
}

/// What no gradient passes is none of the step, but may be counted beside it.
void FollowedStep::lost_of(const Statement& statement, SourceSpan place) {
  const bool reads = statement.from != kNone && needs_gradient(statement.from);
  if (!statement.detached && (statement.layer != kNone || reads))
    return lost(statement.name, place);
  if (!statement.detached || statement.layer == kNone) return;
  lost_beside(statement.name, place);
}

/// One says it, and leaves room for what is lost of the step.
void FollowedStep::lost_beside(std::string_view what, SourceSpan place) {
  if (loses_beside()) return;
  lost_.push_back({std::string(what), place, statements_.size(), false, cause_, true});
}

FollowedStep::Lost FollowedStep::first_lost() const {
  const auto first =
      std::find_if(lost_.begin(), lost_.end(), [](const Lost& each) { return !each.beside; });
  return first == lost_.end() ? Lost() : *first;
}

bool FollowedStep::loses_beside() const {
  return std::any_of(lost_.begin(), lost_.end(), [](const Lost& each) { return each.beside; });
}

void FollowedStep::loop_ended() {
  const Mark mark = loops_.back();
  loops_.pop_back();
  const bool makes_nothing =
      tensors_.size() == mark.tensors && statements_.size() == mark.statements;
  if (!makes_nothing || lost_.size() <= mark.lost) return;
  lost_.erase(std::remove_if(lost_.begin() + static_cast<std::ptrdiff_t>(mark.lost), lost_.end(),
                             [](const Lost& each) { return each.what == python::kLoopOverInput; }),
              lost_.end());
}

}  // namespace gpulint
