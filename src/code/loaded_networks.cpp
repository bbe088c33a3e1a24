#include "code/loaded_networks.h"

#include "code/call_text.h"

#include <algorithm>
#include <utility>

namespace gpulint {

std::vector<SeenFact> LoadedNetworks::called(const python::Interpreter& in,
                                             const python::Call& call,
                                             const ConsumerIndex& consumers) {
  const bool loads = consumers.behaviour(call.name) == python::Behaviour::loads_network;
  if (!loads || call.arguments.empty() || call.node == python::kNoSyntax) return {};
  const python::Value& name = call.arguments.front().value;
  const python::SyntaxNode& node = call.module->tree.node(call.node);
  SeenFact made;
  made.fact.fact = "model";
  made.fact.known = name.kind == python::Kind::text;
  if (made.fact.known) made.fact.value = in.text(name.ref);
  made.fact.call = {call.module->file, node.begin, node.begin};
  made.fact.span = name.from.known() ? name.from : made.fact.call;
  made.fact.from_config = name.origin == python::Origin::given && name.from.known();
  made.fact.taken_by = call_text(call);
  made.fact.source = "the only network that the script loads";
  made.sides.assign(call.sides.begin(), call.sides.end());
  loaded_.push_back(std::move(made));
  return {loaded_.back()};
}

void LoadedNetworks::hold(const python::Interpreter& in, const python::Call& call,
                          const ConsumerIndex& consumers) {
  const ConsumingCall* known = consumers.call(call.name);
  std::vector<SeenFact> facts;
  if (consumers.behaviour(call.name) == python::Behaviour::loads_network) {
    const LoadedNetworks before = *this;
    facts = called(in, call, consumers);
    loaded_ = before.loaded_;
  } else if (known != nullptr && call.node != python::kNoSyntax) {
    facts = facts_of(in, call, *known);
  }
  for (SeenFact& each : facts) {  // not a function that is called as the network is
    const bool is_named = each.fact.argument != nullptr || known == nullptr;
    if (each.fact.fact == "model" && is_named) held_.push_back(std::move(each));
  }
}

bool LoadedNetworks::holds_unknown() const {
  return std::any_of(held_.begin(), held_.end(),
                     [](const SeenFact& each) { return !each.fact.known; });
}

std::optional<SeenFact> LoadedNetworks::held() const {
  if (held_.empty()) return std::nullopt;
  const auto is_same = [&](const SeenFact& each) {
    return each.fact.known && each.fact.value == held_.front().fact.value;
  };
  return std::all_of(held_.begin(), held_.end(), is_same) ? std::optional(held_.front())
                                                         : std::nullopt;
}

void LoadedNetworks::state(std::vector<SeenFact>& seen) const {
  const auto is_model = [](const SeenFact& each) { return each.fact.fact == "model"; };
  if (loaded_.empty() || std::any_of(seen.begin(), seen.end(), is_model)) return;
  const auto is_same = [&](const SeenFact& each) {
    return each.fact.known && each.fact.value == loaded_.front().fact.value;
  };
  if (std::all_of(loaded_.begin(), loaded_.end(), is_same)) seen.push_back(loaded_.front());
}

}  // namespace gpulint
