#include "code/frozen_models.h"

#include "base/text.h"
#include "code/script_choice.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kAdapter = "adapter";
constexpr std::string_view kFreezes = ".requires_grad_";

}  // namespace

bool is_unused(const python::Call& call, std::string_view acting) {
  constexpr std::string_view kOptions = "Config";  // what classes of options are called
  const bool is_name = call.name.ends_with(kOptions) && !call.target.empty() &&
                       std::all_of(call.target.begin(), call.target.end(), is_name_part);
  if (!is_name) return false;
  const std::size_t made = find_word(acting, call.target);
  return made != std::string_view::npos &&
         !has_word(acting.substr(made + call.target.size()), call.target);
}

void FrozenModels::stated(const python::Call& call, const std::vector<SeenFact>& facts) {
  if (facts.empty() || call.target.empty()) return;
  Loaded made{.name = std::string(call.target), .call = facts.front().fact.call};
  made.sides.assign(call.sides.begin(), call.sides.end());
  for (const python::Argument& each : call.arguments) {
    if (each.node != python::kNoSyntax)
      made.given.emplace_back(call.module->tree.text(each.node));
  }
  loaded_.push_back(std::move(made));
}

void FrozenModels::called(const python::Interpreter& in, const python::Call& call) {
  const bool is_placed = call.module != nullptr && call.node != python::kNoSyntax;
  if (!is_placed || !call.name.ends_with(kFreezes)) return;
  if (call.arguments.empty() || in.truth(call.arguments.front().value) != std::optional(false))
    return;
  for (Loaded& each : loaded_) {
    if (each.call.file != call.module->file) continue;
    // Wherever it is loaded, it is frozen as well.
    const bool is_certain = call.sides.size() <= each.sides.size() &&
                            std::equal(call.sides.begin(), call.sides.end(), each.sides.begin());
    if (!is_certain) continue;
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
  const auto is_given_to_frozen = [&](const Loaded& options) {
    return std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& each) {
      return each.is_frozen && each.call.file == options.call.file &&
             contains(each.given, options.name);
    });
  };
  std::erase_if(seen, [&](const SeenFact& fact) {
    return std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& each) {
      return fact.fact.call == each.call && (each.is_frozen || is_given_to_frozen(each));
    });
  });
}

}  // namespace gpulint
