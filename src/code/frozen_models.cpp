#include "code/frozen_models.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kModel = "model";
constexpr std::string_view kAdapter = "adapter";
constexpr std::string_view kFreezes = ".requires_grad_";

}  // namespace

void FrozenModels::stated(const python::Call& call, const std::vector<SeenFact>& facts) {
  const auto is_model = [](const SeenFact& each) { return each.fact.fact == kModel; };
  const auto model = std::find_if(facts.begin(), facts.end(), is_model);
  if (model != facts.end() && !call.target.empty())
    loaded_.push_back({std::string(call.target), model->fact.call});
}

void FrozenModels::called(const python::Interpreter& in, const python::Call& call) {
  const bool is_certain =
      call.sides.empty() && call.module != nullptr && call.node != python::kNoSyntax;
  if (!is_certain || !call.name.ends_with(kFreezes)) return;
  if (call.arguments.empty() || in.truth(call.arguments.front().value) != std::optional(false))
    return;
  for (Loaded& each : loaded_) {
    if (each.call.file != call.module->file) continue;
    const python::SyntaxNode& node = call.module->tree.node(call.node);
    const bool is_in_chain = node.begin <= each.call.begin && each.call.end <= node.end;
    each.is_frozen = each.is_frozen || each.name == call.receiver || is_in_chain;
  }
}

void FrozenModels::settle(std::vector<SeenFact>& seen) const {
  const bool has_no_adapter = std::any_of(seen.begin(), seen.end(), [](const SeenFact& each) {
    return each.fact.fact == kAdapter && each.fact.known && each.fact.value == "none";
  });
  if (!has_no_adapter) return;
  std::erase_if(seen, [&](const SeenFact& fact) {
    return std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& each) {
      return each.is_frozen && fact.fact.call == each.call;
    });
  });
}

}  // namespace gpulint
