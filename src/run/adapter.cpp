#include "run/adapter.h"

#include "plan/knowledge.h"
#include "run/fact_access.h"

namespace gpulint {

Adapter Adapter::of(const TrainingPlan& facts, bool is_blocked) {
  Adapter adapter;
  adapter.traits = adapter_of(facts);
  const std::string_view name = text_of(facts.adapter);
  // A rank without a method: there is an adapter, or a switch nobody knows turns it off.
  const bool has_rank = !facts.adapter && at_least(facts.adapter_rank, 1);
  adapter.present = is_blocked || has_rank || (!name.empty() && name != "none");
  adapter.trains_embeddings = adapter.present && facts.adapter_modules_to_save &&
                              !facts.adapter_modules_to_save->value.empty();
  return adapter;
}

}  // namespace gpulint
