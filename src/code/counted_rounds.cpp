#include "code/counted_rounds.h"

#include "base/text.h"
#include "code/call_text.h"

#include <algorithm>
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

bool has_batches(const python::Interpreter& in, std::span<const python::Round> rounds,
                 const ConsumerIndex& consumers) {
  return std::any_of(rounds.begin(), rounds.end(), [&](const python::Round& each) {
    return goes_over_batches(in, each, consumers);
  });
}

bool CountedRounds::has_extra_round(const python::Loop& loop) {
  return loop.adds_one && loop.start.is_number() && loop.start.number() == 0;
}

SeenFact CountedRounds::fact_of(const python::Loop& loop, std::string_view fact) {
  SeenFact made;
  made.fact.fact = fact;
  const python::SyntaxNode& node = loop.module->tree.node(loop.node);
  made.fact.call = {loop.module->file, node.begin, node.begin};
  made.fact.span = loop.stop.from.known() ? loop.stop.from : made.fact.call;
  made.fact.from_config = loop.stop.origin == python::Origin::given && loop.stop.from.known();
  made.fact.known = loop.stop.is_number();
  made.fact.computed = loop.stop.computed;
  made.sides.assign(loop.sides.begin(), loop.sides.end());
  if (!loop.counts) made.sides.push_back({kNobodyKnows, false});
  if (made.fact.known) {
    const std::int64_t start = loop.start.kind == python::Kind::integer ? loop.start.integer : 0;
    const std::int64_t before = fact == kEpochs && has_extra_round(loop) ? 1 : start;
    made.fact.value = loop.stop.kind == python::Kind::integer
                          ? std::to_string(loop.stop.integer - before)
                          : std::to_string(loop.stop.number());
  }
  made.fact.taken_by = source_line(*loop.module, node.begin);
  return made;
}

std::optional<SeenFact> CountedRounds::around(const python::Interpreter& in,
                                              std::span<const python::Round> rounds,
                                              const ConsumerIndex& consumers) {
  // Loops inside a batch go over parts of it.
  for (std::size_t count = rounds.size(); count > 1; --count) {
    if (!goes_over_batches(in, rounds[count - 1], consumers)) continue;
    rounds = rounds.first(count);
    break;
  }
  if (rounds.empty()) return std::nullopt;
  const bool is_alone = rounds.size() == 1;
  const auto found = counted_.find(rounds[is_alone ? 0 : rounds.size() - 2].loop);
  if (found == counted_.end()) return std::nullopt;
  const bool goes_up_inside = found->second.goes_up_inside;
  const bool has_batches = goes_over_batches(in, rounds.back(), consumers);
  if (is_alone ? has_batches || goes_up_inside : !has_batches && !goes_up_inside)
    return std::nullopt;
  SeenFact made = std::move(found->second.fact);
  counted_.erase(found);
  made.fact.fact = is_alone || goes_up_inside ? kSteps : kEpochs;
  return made;
}

}  // namespace gpulint
