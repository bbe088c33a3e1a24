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

void LoadedNetworks::state(std::vector<SeenFact>& seen) const {
  const auto is_model = [](const SeenFact& each) { return each.fact.fact == "model"; };
  if (loaded_.empty() || std::any_of(seen.begin(), seen.end(), is_model)) return;
  const auto is_same = [&](const SeenFact& each) {
    return each.fact.known && each.fact.value == loaded_.front().fact.value;
  };
  if (std::all_of(loaded_.begin(), loaded_.end(), is_same)) seen.push_back(loaded_.front());
}

}  // namespace gpulint
