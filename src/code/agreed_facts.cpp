#include "base/text.h"
#include "code/seen_facts.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gpulint {
namespace {

/// The statements that count: those of a loader that is called after the training, else of one that
/// shuffles, else of any.
void keep_best_role(std::vector<SeenFact*>& seen) {
  for (const LoaderRole best : {LoaderRole::training, LoaderRole::likely}) {
    const bool has_best = std::any_of(
        seen.begin(), seen.end(), [&](const SeenFact* each) { return each->role == best; });
    if (has_best) std::erase_if(seen, [&](const SeenFact* each) { return each->role < best; });
  }
}

/// Images that are resized and then cropped have the size of the crop.
void keep_last(std::vector<SeenFact*>& seen) {
  const auto is_passing = [](const SeenFact* each) {
    return each->fact.argument != nullptr && each->fact.argument->is_passing;
  };
  if (!std::all_of(seen.begin(), seen.end(), is_passing)) std::erase_if(seen, is_passing);
}

/// A call that was left out says nothing beside one that is made.
void keep_made(std::vector<SeenFact*>& seen) {
  const auto is_skipped = [](const SeenFact* each) { return each->skipped != nullptr; };
  if (!std::all_of(seen.begin(), seen.end(), is_skipped)) std::erase_if(seen, is_skipped);
}

/// What a library's trainer does unless it is told otherwise says nothing beside code of one's own.
void keep_told(std::vector<SeenFact*>& seen) {
  const auto is_untold = [](const SeenFact* each) { return each->is_left_to_trainer; };
  if (!std::all_of(seen.begin(), seen.end(), is_untold)) std::erase_if(seen, is_untold);
}

bool same_value(const CodeFact& a, const CodeFact& b) {
  return a.known && b.known && equals_ignoring_case(a.value, b.value);
}

/// Those statements of which one is met whichever way the conditions around them turn out; empty:
/// it may be that none is. `statements` agree in the first `depth` sides.
std::vector<SeenFact*> unavoidable(std::span<SeenFact* const> statements, std::size_t depth) {
  std::vector<SeenFact*> met;
  std::map<python::Side, std::vector<SeenFact*>> by_side;
  for (SeenFact* each : statements) {
    if (each->sides.size() <= depth) {
      met.push_back(each);
    } else {
      by_side[each->sides[depth]].push_back(each);
    }
  }
  if (!met.empty()) return met;
  for (const auto& [side, first] : by_side) {
    const auto other = by_side.find({side.decision, true});
    if (side.second || other == by_side.end()) continue;
    const std::vector<SeenFact*> here = unavoidable(first, depth + 1);
    const std::vector<SeenFact*> there = unavoidable(other->second, depth + 1);
    if (here.empty() || there.empty()) continue;
    met.insert(met.end(), here.begin(), here.end());
    met.insert(met.end(), there.begin(), there.end());
  }
  return met;
}

/// By how many micro-batches a step has; unknown where nobody knows.
void multiply(CodeFact& batch, const std::optional<std::string>& by) {
  const std::optional<double> one = lenient_number(batch.value);
  const std::optional<double> times = by ? lenient_number(*by) : std::nullopt;
  batch.known = batch.known && one && times;
  if (!batch.known) return;
  batch.value = fmt::format("{}", *one * *times);
  batch.computed = true;
}

/// A rate that the code multiplies by the number of ranks, the same for all optimizers.
std::optional<CodeFact> rate_for_each_rank(const std::vector<SeenFact*>& all) {
  const SeenFact& first = *all.front();
  const double rate = first.for_each_rank;
  const bool is_same = std::all_of(all.begin(), all.end(), [&](const SeenFact* each) {
    return each->for_each_rank == rate && each->fact.fact == "learning_rate";
  });
  if (rate == 0 || !is_same) return std::nullopt;
  CodeFact made = first.fact;
  made.fact = "learning_rate_per_rank";
  made.argument = nullptr;
  made.value = fmt::format("{}", rate);
  made.known = true;
  return made;
}

}  // namespace

bool trains(const std::vector<SeenFact>& seen) {
  return std::any_of(seen.begin(), seen.end(), [](const SeenFact& each) {
    // An optimizer that steps in a loop was made, wherever that is.
    return each.fact.fact == "optimizer" || each.fact.fact == "learning_rate" ||
           each.fact.fact == "sharding_engine" || each.fact.fact == "parameters" ||
           each.fact.fact == "gradient_accumulation_steps" ||
           each.fact.fact == kAccumulationOfAllRanks ||
           (!each.fact.dialect.empty() && !each.fact.is_of_part);
  });
}

std::vector<CodeFact> agreed(std::vector<SeenFact> seen) {
  std::map<std::string, std::vector<SeenFact*>> by_fact;
  for (SeenFact& each : seen) by_fact[each.fact.dialect + each.fact.fact].push_back(&each);
  std::vector<CodeFact> facts;
  std::optional<std::size_t> shared;
  std::optional<std::size_t> split;
  std::optional<std::string> micro_batches = "1";
  bool accumulates = false;
  for (auto& [name, all] : by_fact) {
    keep_made(all);
    keep_told(all);
    keep_best_role(all);
    keep_last(all);
    std::vector<SeenFact*> met = unavoidable(all, 0);
    const bool is_certain = !met.empty();
    if (is_certain) all = std::move(met);
    const SeenFact& first = *all.front();
    const bool agree = std::all_of(all.begin(), all.end(), [&](const SeenFact* each) {
      return same_value(first.fact, each->fact);
    });
    // A call that may not happen says what a config's key means, and nothing of its own; whatever
    // evaluates, though, takes its batches from an evaluation's loader.
    const ConsumedArgument* argument = first.fact.argument;
    const bool is_evaluation =
        argument != nullptr && argument->evaluation_fact == first.fact.fact;
    if (agree && !first.fact.from_config && !is_certain && !is_evaluation) {
      if (!first.fact.is_of_part) continue;
      facts.push_back(first.fact);  // there may be an adapter
      facts.back().known = false;
      continue;
    }
    const auto stated = std::find_if(all.begin(), all.end(),
                                     [](const SeenFact* each) { return each->fact.from_config; });
    facts.push_back(stated != all.end() ? (*stated)->fact : first.fact);
    facts.back().known = agree;
    if (first.is_shared) shared = facts.size() - 1;
    if (first.is_split) split = facts.size() - 1;
    accumulates = accumulates || first.fact.fact == kAccumulationOfAllRanks;
    if (first.fact.fact == "gradient_accumulation_steps") {
      accumulates = !agree || first.fact.value != "1";
      micro_batches = agree ? std::optional(first.fact.value) : std::nullopt;
    }
    const bool is_met = is_certain || first.fact.from_config;
    if (auto rate = rate_for_each_rank(all); rate && is_met) facts.push_back(std::move(*rate));
  }
  // What is divided among the GPUs is a batch of one micro-batch each.
  if (shared && accumulates) facts[*shared].known = false;
  if (split && accumulates) multiply(facts[*split], micro_batches);
  return facts;
}

void state_whole_batches(std::vector<SeenFact>& seen) {
  for (SeenFact& each : seen) {
    const ConsumedArgument* argument = each.fact.argument;
    const bool is_batch = argument != nullptr && !argument->shared.empty() && !each.is_default &&
                          each.fact.fact == argument->fact;
    if (!is_batch) continue;
    each.fact.fact = argument->shared;
    each.is_split = true;
  }
}

}  // namespace gpulint
