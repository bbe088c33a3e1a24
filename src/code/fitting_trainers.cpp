#include "code/fitting_trainers.h"

#include "base/text.h"
#include "code/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

/// `trainer.fit(…)` of a library's trainer.
bool fits(const python::Call& call, const ConsumerIndex& consumers) {
  const std::size_t dot = call.name.rfind('.');
  if (dot == call.name.npos || call.receiver.empty()) return false;
  const ConsumingCall* maker = consumers.call(call.name.substr(0, dot));
  return maker != nullptr && !maker->dialect.empty() && maker->skipped.empty() &&
         contains(consumers.scripts().trains, fmt::format("{}(", call.name.substr(dot)));
}

}  // namespace

void FittingTrainers::made(const python::Call& call) {
  trainers_.push_back(
      {std::string(call.target), call_span(call), {call.sides.begin(), call.sides.end()}});
}

void FittingTrainers::called(const python::Call& call, const ConsumerIndex& consumers) {
  if (!fits(call, consumers)) return;
  const auto is_meant = [&](const Trainer& each) {
    return !each.name.empty() && each.name == call.receiver;
  };
  const auto last = std::find_if(trainers_.rbegin(), trainers_.rend(), is_meant);
  is_known_ = is_known_ && last != trainers_.rend();
  if (last == trainers_.rend()) return;
  last->fits = true;
  const auto is_other = [&](const python::Side& side) {
    const python::Side other{side.decision, !side.second};
    return std::find(last->sides.begin(), last->sides.end(), other) != last->sides.end();
  };
  for (Trainer& each : trainers_) {
    const bool is_instead =
        is_meant(each) && std::any_of(each.sides.begin(), each.sides.end(), is_other);
    each.fits = each.fits || is_instead;
  }
}

void FittingTrainers::settle(std::vector<SeenFact>& seen) const {
  const auto fits = [](const Trainer& each) { return each.fits; };
  if (!is_known_ || std::none_of(trainers_.begin(), trainers_.end(), fits)) return;
  std::erase_if(seen, [&](const SeenFact& fact) {
    const auto is_maker = [&](const Trainer& each) { return each.call == fact.fact.call; };
    const auto fits_here = [&](const Trainer& each) { return is_maker(each) && each.fits; };
    return std::any_of(trainers_.begin(), trainers_.end(), is_maker) &&
           std::none_of(trainers_.begin(), trainers_.end(), fits_here);
  });
}

}  // namespace gpulint
