#include "code/written_rates.h"

#include "source/scalar.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

/// `group["lr"] = ...`, or a schedule that is not based on the optimizer's own rate.
bool sets_rates(const std::string& text) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  const bool has_schedule = has("LRScheduler)") && !has("base_lrs");
  return has_schedule || has("['lr'] =") || has("[\"lr\"] =");
}

/// `group["momentum"] = 0.9` of the optimizer's groups.
bool sets_in_groups(const std::string& text, const std::string& name) {
  const auto has = [&](const std::string& part) { return text.find(part) != text.npos; };
  return has("param_groups") && (has("['" + name + "'] =") || has("[\"" + name + "\"] ="));
}

/// As a number in the very call that makes the optimizer.
bool is_written_in_call(const CodeFact& fact) {
  return fact.fact == "learning_rate" && !fact.from_config && fact.span.file == fact.call.file &&
         fact.span.begin > fact.call.begin && fact.span.end <= fact.call.end;
}

/// A function of the project draws the curve: what it returns may be the rate itself, beside a rate
/// of 1 that it is multiplied with.
bool is_drawn_by_function(const CodeFact& fact) {
  return fact.fact == "lr_schedule" && fact.argument != nullptr && !fact.argument->in_code.empty();
}

}  // namespace

void doubt_written_rates(const CodeRequest& request, const std::set<std::string>& modules,
                         std::vector<SeenFact>& seen) {
  const auto any_text = [&](const auto& holds) {
    return std::any_of(modules.begin(), modules.end(), [&](const std::string& path) {
      const python::Module* module = request.code->module(request.root, path);
      return module != nullptr && holds(request.code->acting(*module));
    });
  };
  for (SeenFact& each : seen) {  // that the call leaves to the optimizer
    if (!each.is_default || !each.is_of_optimizer || !each.fact.known) continue;
    each.fact.known = !any_text(
        [&](const std::string& text) { return sets_in_groups(text, each.fact.fact); });
  }
  const auto is_written = [](const SeenFact& each) { return is_written_in_call(each.fact); };
  if (std::none_of(seen.begin(), seen.end(), is_written)) return;
  const bool sets = any_text(sets_rates);
  const bool is_drawn = std::any_of(seen.begin(), seen.end(), [](const SeenFact& each) {
    return is_drawn_by_function(each.fact);
  });
  for (SeenFact& each : seen) {
    if (!is_written(each)) continue;
    const bool is_one = lenient_number(each.fact.value) == 1.0;
    if (sets || (is_drawn && is_one)) each.fact.known = false;
  }
}

}  // namespace gpulint
