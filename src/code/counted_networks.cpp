// What the networks that a script trains say of its run, once it has run.

#include "code/call_text.h"
#include "code/trained_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint {

using python::Interpreter;
using python::ObjectId;
using python::Value;

std::vector<const TrainedNetworks::Optimized*> TrainedNetworks::optimizers() const {
  std::vector<const Optimized*> all;
  // The arguments of a trainer say which optimizer it makes, and the trainer of what.
  const auto has_weights = [](const Optimized& each) { return each.has_weights; };
  if (!trainers_.empty() && std::none_of(optimizers_.begin(), optimizers_.end(), has_weights)) {
    for (const Optimized& each : trainers_) all.push_back(&each);
    return all;
  }
  // What wraps a known optimizer is called one too.
  for (const Optimized& each : optimizers_.empty() ? unknown_ : optimizers_) all.push_back(&each);
  return all;
}

bool TrainedNetworks::is_whole_as_called(const Interpreter& in) const {
  const Optimized sum = settled(in, optimizers());
  const bool is_certain = std::all_of(sum.trained.begin(), sum.trained.end(), [&](ObjectId each) {
    return is_trained(in, each).has_value();
  });
  return sum.is_whole_as_called && is_certain && !in.truncated();
}

std::vector<Value> TrainedNetworks::networks(const Interpreter& in) const {
  std::vector<Value> own;
  std::vector<Value> others;
  for (const std::size_t each : settled(in, optimizers()).networks) {
    const Value& value = networks_[each].value;
    (in.class_place(value).known() ? own : others).push_back(value);
  }
  return own.empty() ? others : own;
}

TrainedNetworks::Beside TrainedNetworks::beside(Interpreter& in, const Objects& called,
                                                bool are_followed) const {
  constexpr double kFew = 0.05;  // what an estimate leaves room for
  if (called.empty()) return {};
  const Objects trained = settled(in, optimizers()).weights;
  Beside found;
  // A teacher or a moving average is made like what is trained: the same class, as large.
  const auto is_copy = [&](const Value& network, double size, bool is_whole) {
    const std::vector<Value> all = networks(in);
    return is_whole && std::any_of(all.begin(), all.end(), [&](const Value& each) {
             const python::NetworkParameters weights = in.parameters_of(each);
             const Objects objects(weights.objects.begin(), weights.objects.end());
             return in.class_place(each).known() &&
                    in.object(each.ref).type == in.object(network.ref).type &&
                    weights.unknown.empty() && elements(in, objects) == size;
           });
  };
  std::vector<std::string>& names = found.names;
  for (const auto& [network, call, sides] : in.networks()) {
    Objects own;
    const python::NetworkParameters weights = in.parameters_of(network);
    for (const ObjectId each : weights.objects) {
      if (trained.contains(each)) own.clear();
      if (trained.contains(each)) break;
      own.insert(each);
    }
    if (elements(in, own) <= kFew * elements(in, trained) || !in.holds(network, called)) continue;
    const double size = elements(in, own);
    const bool is_whole = weights.unknown.empty();
    if ((are_followed && is_whole) || is_copy(network, size, is_whole)) {
      found.of_copies += static_cast<std::int64_t>(size);
      continue;
    }
    std::string name(in.class_name(network));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return found;
}

TrainedNetworks::Missing TrainedNetworks::missing(const Interpreter& in) const {
  const std::vector<const Optimized*> all = optimizers();
  if (all.empty()) return {"an optimizer: none was seen to be made", 0};
  const Optimized sum = settled(in, all);
  for (const std::size_t each : sum.networks) {
    const Network& network = networks_[each];
    if (!network.unknown.empty()) return {network.unknown, network.cause};
  }
  const auto is_open = [](const Optimized* each) { return each->cause != 0; };
  const auto open = std::find_if(all.begin(), all.end(), is_open);
  if (open != all.end()) return {"what the optimizer is given", (*open)->cause};
  if (sum.networks.empty()) return {"which network the optimizer trains", 0};
  return {};
}

std::vector<SeenFact> TrainedNetworks::facts(const Interpreter& in) const {
  return facts_of(in, optimizers(), true);
}

std::vector<SeenFact> TrainedNetworks::facts_of_built(const Interpreter& in) const {
  std::vector<const Optimized*> built;
  for (const Optimized& each : built_) built.push_back(&each);
  return facts_of(in, built, false);
}

std::vector<SeenFact> TrainedNetworks::facts_of(const Interpreter& in,
                                                std::span<const Optimized* const> all,
                                                bool one_is_met) const {
  const Optimized sum = settled(in, all, 0, one_is_met);
  const double weights = elements(in, sum.weights);
  if (weights <= 0 || sum.networks.empty()) return {};
  Objects trained;
  for (const ObjectId each : sum.trained) {
    if (is_trained(in, each) == std::optional(true)) trained.insert(each);
  }
  const bool is_certain = trained.size() == sum.trained.size();
  std::string names;
  std::string unknown;
  // Layers of a library that were made by themselves stand in a network of the project.
  const auto is_own = [&](std::size_t each) {
    return in.class_place(networks_[each].value).known();
  };
  const auto first_own = std::find_if(sum.networks.begin(), sum.networks.end(), is_own);
  const bool has_own = first_own != sum.networks.end();
  for (const std::size_t each : sum.networks) {
    const Network& network = networks_[each];
    if (has_own && !is_own(each)) continue;
    const std::string name(in.class_name(network.value));
    const bool is_known = (", " + names + ", ").find(", " + name + ", ") != std::string::npos;
    if (!is_known) names += (names.empty() ? "" : ", ") + name;
    if (unknown.empty()) unknown = network.unknown;
  }
  const Network& first = networks_[has_own ? *first_own : *sum.networks.begin()];
  SeenFact made;
  made.fact.span = in.class_place(first.value);
  made.fact.call = first.call.known() ? first.call : made.fact.span;
  if (!made.fact.span.known()) made.fact.span = made.fact.call;
  made.fact.at_least = !sum.is_whole || !is_certain || in.truncated();
  made.fact.source = "layers of " + names;
  if (!unknown.empty()) made.fact.source += "; " + unknown + " is not known";
  made.fact.taken_by = names + "(...)";
  made.fact.fills = true;
  made.fact.fact = "parameters";
  made.fact.value = fmt::format("{:.0f}", weights);
  std::vector<SeenFact> facts = {made};
  if (elements(in, trained) < weights) {
    // An optimizer of which no parameter is known trains some all the same.
    made.fact.at_least = made.fact.at_least || trained.empty();
    made.fact.fact = "trainable_parameters";
    made.fact.value = fmt::format("{:.0f}", elements(in, trained));
    facts.push_back(std::move(made));
  }
  return facts;
}

std::optional<SeenFact> TrainedNetworks::own_network(const Interpreter& in,
                                                     const std::vector<SeenFact>& counted) const {
  if (!counted.empty() && !counted.front().fact.at_least) return std::nullopt;
  for (const std::size_t each : settled(in, optimizers()).networks) {
    const Network& network = networks_[each];
    const SourceSpan place = in.class_place(network.value);
    if (!place.known()) continue;
    SeenFact made;
    made.fact.fact = "own_network";
    made.fact.value = std::string(in.class_name(network.value));
    made.fact.span = place;
    made.fact.call = network.call.known() ? network.call : place;
    made.fact.fills = true;
    made.fact.taken_by = made.fact.value + "(...)";
    return made;
  }
  return std::nullopt;
}

}  // namespace gpulint
