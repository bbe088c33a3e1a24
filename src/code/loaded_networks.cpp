#include "code/loaded_networks.h"

#include "base/text.h"
#include "code/call_text.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// The name that such a call loads by; nullopt: it loads none.
std::optional<SeenFact> name_loaded_by(const python::Interpreter& in, const python::Call& call,
                                       const ConsumerIndex& consumers) {
  const bool loads = consumers.behaviour(call.name) == python::Behaviour::loads_network;
  if (!loads || call.arguments.empty() || call.node == python::kNoSyntax) return std::nullopt;
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
  return made;
}

/// Of several, the one that all are; nullptr: they differ, or one is not known.
const SeenFact* only_one(const std::vector<SeenFact>& all) {
  const auto is_same = [&](const SeenFact& each) {
    return each.fact.known && each.fact.value == all.front().fact.value;
  };
  return !all.empty() && std::all_of(all.begin(), all.end(), is_same) ? &all.front() : nullptr;
}

}  // namespace

std::vector<SeenFact> LoadedNetworks::called(const python::Interpreter& in,
                                             const python::Call& call,
                                             const ConsumerIndex& consumers) {
  auto made = name_loaded_by(in, call, consumers);
  if (!made) return {};
  loaded_.push_back(std::move(*made));
  return {loaded_.back()};
}

void LoadedNetworks::hold(const python::Interpreter& in, const python::Call& call,
                          const ConsumerIndex& consumers) {
  if (auto made = name_loaded_by(in, call, consumers)) return held_.push_back(std::move(*made));
  const ConsumingCall* known = consumers.call(call.name);
  if (known == nullptr || call.node == python::kNoSyntax) return;
  for (SeenFact& each : facts_of(in, call, *known)) {
    const bool is_named = each.fact.argument != nullptr;  // not called as the network is
    if (each.fact.fact == "model" && is_named) held_.push_back(std::move(each));
  }
}

bool LoadedNetworks::holds_unknown() const {
  return std::any_of(held_.begin(), held_.end(),
                     [](const SeenFact& each) { return !each.fact.known; });
}

std::optional<SeenFact> LoadedNetworks::held() const {
  const SeenFact* only = only_one(held_);
  return only == nullptr ? std::nullopt : std::optional(*only);
}

void LoadedNetworks::state(std::vector<SeenFact>& seen) const {
  const auto is_model = [](const SeenFact& each) { return each.fact.fact == "model"; };
  if (std::any_of(seen.begin(), seen.end(), is_model)) return;
  if (const SeenFact* only = only_one(loaded_)) seen.push_back(*only);
}

void LoadedNetworks::saved(const python::Interpreter& in, const python::Call& call) {
  constexpr std::string_view kSaves = ".save_pretrained";
  if (!call.name.ends_with(kSaves) || call.arguments.empty()) return;
  const std::string_view folder = in.text_of(call.arguments.front().value);
  if (!folder.empty()) saved_.emplace_back(folder);
}

void LoadedNetworks::leave_out_saved(std::vector<SeenFact>& seen) {
  const auto is_saved = [this](const SeenFact& each) {
    return each.fact.fact == "model" && contains(saved_, each.fact.value);
  };
  std::erase_if(seen, is_saved);
  std::erase_if(loaded_, is_saved);
}

}  // namespace gpulint
