#include "code/epoch_loops.h"

#include "base/text.h"

#include <string>
#include <utility>

namespace gpulint {
namespace {

bool goes_over_batches(const python::Interpreter& in, const python::Round& round,
                       const ConsumerIndex& consumers) {
  if (to_lower(round.text).find("loader") != std::string::npos) return true;
  if (round.over.kind != python::Kind::instance) return false;
  const python::TextId maker = in.object(round.over.ref).made_by;
  const ConsumingCall* made = maker == python::kNone ? nullptr : consumers.call(in.text(maker));
  return made != nullptr && made->feeds_a_loop;
}

}  // namespace

std::optional<SeenFact> EpochLoops::around(const python::Interpreter& in,
                                           std::span<const python::Round> rounds,
                                           const ConsumerIndex& consumers) {
  if (rounds.size() < 2) return std::nullopt;
  const auto found = counted_.find(rounds[rounds.size() - 2].loop);
  if (found == counted_.end() || !goes_over_batches(in, rounds.back(), consumers))
    return std::nullopt;
  SeenFact made = std::move(found->second);
  counted_.erase(found);
  return made;
}

}  // namespace gpulint
