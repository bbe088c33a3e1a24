#include "code/trained_networks.h"

#include "base/text.h"
#include "code/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpulint {
namespace {

using python::Interpreter;
using python::Kind;
using python::ObjectId;
using python::Part;
using python::Value;

constexpr std::string_view kParameters = "params";  // of an optimizer, and of its groups
constexpr std::string_view kIsTrained = "requires_grad";
constexpr std::string_view kInner = "optimizer";  // of an optimizer around another one
constexpr std::string_view kOptimizer = "optim";  // in what it is called or assigned to

std::string first_unknown(const python::NetworkParameters& found) {
  return found.unknown.empty() ? found.value : found.unknown;
}

std::int64_t first_cause(const python::NetworkParameters& found) {
  return found.unknown.empty() ? found.value_cause : found.unknown_cause;
}

}  // namespace

std::optional<bool> is_trained(const Interpreter& in, ObjectId parameter) {
  for (const python::Entry& entry : in.object(parameter).entries) {
    if (in.text(entry.key) == kIsTrained) return in.truth(entry.value);
  }
  return true;
}

double elements(const Interpreter& in, const std::set<ObjectId>& parameters) {
  double sum = 0;
  for (const ObjectId each : parameters)
    sum += static_cast<double>(std::max<std::int64_t>(0, in.object(each).elements));
  return sum;
}

/// What an optimizer is given: parameters, lists of them, groups.
void TrainedNetworks::give(Interpreter& in, const Value& value, Optimized& into, Objects& given,
                           int depth) const {
  constexpr int kDeepest = 6;
  if (value.kind == Kind::dict && depth < kDeepest) {
    const python::Entry* listed = in.find(value.ref, in.intern(kParameters));
    if (listed == nullptr) {
      into.is_whole = into.is_whole_as_called = false;
    } else {
      give(in, Value(listed->value), into, given, depth + 1);
    }
    return;
  }
  if (value.kind == Kind::instance && in.object(value.ref).part == Part::parameter) {
    given.insert(value.ref);
    const std::optional<bool> trained = is_trained(in, value.ref);
    if (!trained) into.is_whole = into.is_whole_as_called = false;
    if (trained == std::optional(true)) into.trained.insert(value.ref);
    return;
  }
  if (in.is_network(value)) {  // factories take the whole of it
    const python::NetworkParameters found = in.parameters_of(value);
    if (!found.unknown.empty()) into.is_whole = into.is_whole_as_called = false;
    for (const ObjectId each : found.objects) {
      given.insert(each);
      const std::optional<bool> trained = is_trained(in, each);
      if (!trained) into.is_whole = into.is_whole_as_called = false;
      if (trained == std::optional(true)) into.trained.insert(each);
    }
    return;
  }
  bool all = false;
  const std::vector<Value> items = in.known_items(value, all);
  if (!all || depth >= kDeepest) into.is_whole = into.is_whole_as_called = false;
  if (depth >= kDeepest) return;
  for (const Value& item : items) give(in, item, into, given, depth + 1);
}

/// All networks of which the optimizer has a parameter.
void TrainedNetworks::add_networks(Interpreter& in, const Objects& given, Optimized& into) {
  for (const auto& [network, call, sides] : in.networks()) {
    const python::NetworkParameters found = in.parameters_of(network);
    const bool is_meant = std::any_of(found.objects.begin(), found.objects.end(),
                                      [&](ObjectId each) { return given.count(each) != 0; });
    if (!is_meant) continue;
    into.weights.insert(found.objects.begin(), found.objects.end());
    into.networks.insert(number_of({network, call, first_unknown(found), first_cause(found)}));
    if (!found.is_whole()) into.is_whole = false;
    if (!found.unknown.empty()) into.is_whole_as_called = false;
  }
}

/// The networks that are no part of a later one, the last first.
std::vector<TrainedNetworks::Alone> TrainedNetworks::alone(Interpreter& in) const {
  Objects held;  // by networks that were made later, of earlier ones
  std::vector<Alone> found;
  const auto& made = in.networks();
  for (auto at = made.rbegin(); at != made.rend(); ++at) {
    const python::NetworkParameters parameters = in.parameters_of(at->value);
    Objects own(parameters.objects.begin(), parameters.objects.end());
    const bool is_part =
        std::any_of(own.begin(), own.end(), [&](ObjectId each) { return held.count(each) != 0; });
    held.insert(own.begin(), own.end());
    const bool is_empty = elements(in, own) <= 0 && parameters.is_whole();
    if (is_part || is_empty) continue;
    found.push_back({{at->value, at->call, first_unknown(parameters), first_cause(parameters)},
                     std::move(own),
                     {at->sides.begin(), at->sides.end()},
                     in.class_place(at->value).known()});
  }
  return found;
}

/// Nobody knows what an optimizer is given. Where the script has one network, it is of that.
void TrainedNetworks::add_only_network(Interpreter& in, Optimized& into) {
  std::vector<Alone> found = alone(in);
  const auto is_around = [&](const Alone& each) {
    return each.sides.size() <= into.sides.size() &&
           std::equal(each.sides.begin(), each.sides.end(), into.sides.begin());
  };
  if (!std::all_of(found.begin(), found.end(), is_around)) return;
  // Layers of a library that a helper puts together again are no networks of their own.
  const auto is_own = [](const Alone& each) { return each.is_own; };
  if (std::count_if(found.begin(), found.end(), is_own) == 1)
    std::erase_if(found, [](const Alone& each) { return !each.is_own; });
  if (found.size() != 1) return;
  into.networks.insert(number_of(found.front().network));
  into.weights = found.front().weights;
}

/// What a program that trains builds is on the device, whatever it trains of it: the largest that
/// it surely builds, or the smallest of those that it may build.
void TrainedNetworks::add_built_networks(Interpreter& in) {
  std::vector<Alone> found = alone(in);
  std::erase_if(found, [&](const Alone& each) {
    return !each.is_own || elements(in, each.weights) <= 0;
  });
  const auto is_certain = [](const Alone& each) { return each.sides.empty(); };
  const auto is_smaller = [&](const Alone& a, const Alone& b) {
    return std::pair(is_certain(a), elements(in, a.weights)) <
           std::pair(is_certain(b), elements(in, b.weights));
  };
  if (std::any_of(found.begin(), found.end(), is_certain))
    found = {*std::max_element(found.begin(), found.end(), is_smaller)};
  for (Alone& each : found) {
    Optimized made;
    made.sides = std::move(each.sides);
    made.networks.insert(number_of(each.network));
    made.weights = std::move(each.weights);
    made.is_whole = made.is_whole_as_called = made.has_weights = false;
    built_.push_back(std::move(made));
  }
}

std::size_t TrainedNetworks::number_of(const Network& network) {
  const auto [at, is_new] = numbers_.emplace(network.value.ref, networks_.size());
  if (is_new) networks_.push_back(network);
  return at->second;
}

void TrainedNetworks::optimized(Interpreter& in, const python::Call& call) {
  const python::Argument* groups = nullptr;
  const python::Argument* network = nullptr;  // that a factory is given in place of them
  for (const python::Argument& each : call.arguments) {
    const bool is_first = &each == call.arguments.data() && each.name == python::kNone;
    const bool is_named = each.name != python::kNone && in.text(each.name) == kParameters;
    if (is_first || is_named) groups = &each;
    if (in.is_network(each.value)) network = &each;
  }
  if (network != nullptr) groups = network;
  // `Lookahead(optimizer=inner)` steps what the inner one is given.
  const bool wraps_another =
      groups == nullptr && network == nullptr &&
      std::any_of(call.arguments.begin(), call.arguments.end(), [&](const python::Argument& each) {
        return each.name != python::kNone && in.text(each.name) == kInner;
      });
  if (wraps_another && !optimizers_.empty()) return;
  Optimized made;
  made.sides.assign(call.sides.begin(), call.sides.end());
  Objects given;
  if (groups == nullptr) made.is_whole = made.is_whole_as_called = false;
  if (groups != nullptr) give(in, groups->value, made, given, 0);
  if (groups != nullptr) made.cause = in.cause_of(groups->value);
  add_networks(in, given, made);
  made.weights.insert(given.begin(), given.end());
  made.has_weights = !given.empty();
  if (given.empty()) add_only_network(in, made);
  add(optimizers_, std::move(made));
}

bool TrainedNetworks::is_made_again(const Optimized& earlier, const Optimized& made) const {
  return earlier.trainings < made.trainings &&
         std::any_of(earlier.networks.begin(), earlier.networks.end(), [&](std::size_t old) {
           return std::any_of(made.networks.begin(), made.networks.end(), [&](std::size_t own) {
             return own != old && networks_[own].call == networks_[old].call;
           });
         });
}

/// What is made behind all training, as the best checkpoint is loaded to be judged, trains nothing.
void TrainedNetworks::leave_out_idle() {
  const auto is_idle = [this](const Optimized& each) { return each.trainings == trainings_; };
  std::vector<Optimized> kept;
  std::vector<Optimized> back;
  for (Optimized& each : optimizers_) {
    const auto is_replaced = [&](const Optimized& earlier) { return is_made_again(earlier, each); };
    const auto first = std::find_if(replaced_.begin(), replaced_.end(), is_replaced);
    const bool takes_place = is_idle(each) && first != replaced_.end();
    if (takes_place) std::copy_if(first, replaced_.end(), std::back_inserter(back), is_replaced);
    if (!takes_place) kept.push_back(std::move(each));
  }
  // Of rounds before, all but the last were replaced by one that was trained.
  std::size_t last = 0;
  for (const Optimized& each : back) last = std::max(last, each.trainings);
  std::erase_if(back, [&](const Optimized& each) { return each.trainings < last; });
  std::move(back.begin(), back.end(), std::back_inserter(kept));
  optimizers_ = std::move(kept);
  const bool has_trained = std::any_of(
      optimizers_.begin(), optimizers_.end(),
      [&](const Optimized& each) { return each.has_weights && !is_idle(each); });
  if (!has_trained) return;
  std::erase_if(optimizers_,
                [&](const Optimized& each) { return is_idle(each) && !each.has_weights; });
}

/// A network that is made again where one was made that has been trained since takes its place: a
/// round of a search for settings, or of a cross-validation. The first may be kept or not.
void TrainedNetworks::add(std::vector<Optimized>& to, Optimized made) {
  made.trainings = trainings_;
  const auto is_replaced = [&](const Optimized& earlier) { return is_made_again(earlier, made); };
  std::copy_if(optimizers_.begin(), optimizers_.end(), std::back_inserter(replaced_), is_replaced);
  for (std::vector<Optimized>* all : {&optimizers_, &unknown_, &trainers_}) {
    if (std::erase_if(*all, is_replaced) > 0) made.is_whole = made.is_whole_as_called = false;
  }
  to.push_back(std::move(made));
}

void TrainedNetworks::handed_to_engine(Interpreter& in, const python::Call& call) {
  const auto network =
      std::find_if(call.arguments.begin(), call.arguments.end(),
                   [&](const python::Argument& each) { return in.is_network(each.value); });
  if (network == call.arguments.end()) return;
  if (auto made = of_all_weights(in, network->value, call.sides)) add(unknown_, std::move(*made));
}

void TrainedNetworks::handed_to_trainer(Interpreter& in, const Value& network,
                                        std::span<const python::Side> sides) {
  if (auto made = of_all_weights(in, network, sides)) add(trainers_, std::move(*made));
  went_backward();
}

std::optional<TrainedNetworks::Optimized> TrainedNetworks::of_all_weights(
    Interpreter& in, const Value& network, std::span<const python::Side> sides) {
  Optimized made;
  made.sides.assign(sides.begin(), sides.end());
  Objects given;
  give(in, network, made, given, 0);
  if (given.empty()) return std::nullopt;
  add_networks(in, given, made);
  made.weights.insert(given.begin(), given.end());
  return made;
}

void TrainedNetworks::maybe_optimized(Interpreter& in, const python::Call& call) {
  const auto is_named = [](std::string_view name) {
    return to_lower(name).find(kOptimizer) != std::string::npos;
  };
  const std::string_view name = call.name.substr(call.name.rfind('.') + 1);
  if (!is_named(call.target) && !is_named(name)) return;
  Optimized made;
  made.sides.assign(call.sides.begin(), call.sides.end());
  Objects given;
  for (const python::Argument& each : call.arguments) give(in, each.value, made, given, 0);
  if (given.empty()) return;
  add_networks(in, given, made);
  made.weights.insert(given.begin(), given.end());
  made.trained.clear();  // it may leave some of them alone
  made.is_whole = made.is_whole_as_called = false;
  add(unknown_, std::move(made));
}

void TrainedNetworks::leave_out(const std::vector<std::vector<python::Side>>& lacking) {
  const auto is_elsewhere = [&](const Optimized& made) {
    return std::any_of(lacking.begin(), lacking.end(), [&](const auto& sides) {
      return std::all_of(sides.begin(), sides.end(), [&](const python::Side& each) {
        return std::find(made.sides.begin(), made.sides.end(), each) != made.sides.end();
      });
    });
  };
  if (std::all_of(optimizers_.begin(), optimizers_.end(), is_elsewhere)) return;
  for (std::vector<Optimized>* all : {&optimizers_, &unknown_, &trainers_})
    std::erase_if(*all, is_elsewhere);
}

void TrainedNetworks::finish(Interpreter& in) {
  leave_out_idle();
  for (Optimized& each : optimizers_) {
    if (!each.networks.empty() || each.weights.empty()) continue;
    add_networks(in, Objects(each.weights), each);
  }
  const auto has_network = [](const Optimized* each) { return !each->weights.empty(); };
  const std::vector<const Optimized*> all = optimizers();
  if (std::none_of(all.begin(), all.end(), has_network)) add_built_networks(in);
}

/// Of the sides of a condition nobody can decide, the one that trains less counts. Where some train
/// for all that is known on one side only (`one_is_met`), it is that side.
TrainedNetworks::Optimized TrainedNetworks::settled(const Interpreter& in,
                                                    std::span<const Optimized* const> all,
                                                    std::size_t depth, bool one_is_met) const {
  Optimized sum;
  const auto add = [&sum](const Optimized& more) {
    sum.trained.insert(more.trained.begin(), more.trained.end());
    sum.weights.insert(more.weights.begin(), more.weights.end());
    sum.networks.insert(more.networks.begin(), more.networks.end());
    sum.is_whole = sum.is_whole && more.is_whole;
    sum.is_whole_as_called = sum.is_whole_as_called && more.is_whole_as_called;
  };
  std::map<python::Side, std::vector<const Optimized*>> by_side;
  for (const Optimized* each : all) {
    if (each->sides.size() <= depth) add(*each);
    if (each->sides.size() > depth) by_side[each->sides[depth]].push_back(each);
  }
  std::vector<Optimized> possible;  // that may not happen
  for (const auto& [side, here] : by_side) {
    const auto other = by_side.find({side.decision, !side.second});
    if (other == by_side.end()) possible.push_back(settled(in, here, depth + 1, one_is_met));
    if (other == by_side.end() || side.second) continue;
    Optimized first = settled(in, here, depth + 1, one_is_met);
    Optimized second = settled(in, other->second, depth + 1, one_is_met);
    const double a = elements(in, first.weights);
    const double b = elements(in, second.weights);
    const bool same = a == b && elements(in, first.trained) == elements(in, second.trained);
    Optimized& less = a <= b ? first : second;
    const bool as_called = first.is_whole_as_called && second.is_whole_as_called && same;
    less.is_whole = first.is_whole && second.is_whole && same;
    less.is_whole_as_called = as_called;
    add(less);
  }
  if (possible.empty()) return sum;
  const bool is_alone = sum.weights.empty() && possible.size() == 1;
  if (sum.weights.empty() && one_is_met) {  // it trains, on one of them
    add(*std::min_element(possible.begin(), possible.end(),
                          [&](const Optimized& a, const Optimized& b) {
                            return elements(in, a.weights) < elements(in, b.weights);
                          }));
  }
  if (!is_alone) sum.is_whole = sum.is_whole_as_called = false;
  return sum;
}

}  // namespace gpulint
