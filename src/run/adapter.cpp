#include "run/adapter.h"

#include "plan/knowledge.h"
#include "run/fact_access.h"

namespace gpulint {

Adapter Adapter::of(const TrainingPlan& facts, bool is_blocked) {
  Adapter adapter;
  adapter.traits = adapter_of(facts);
  const std::string_view name = text_of(facts.adapter);
  adapter.present = is_blocked || (!name.empty() && name != "none");
  adapter.trains_embeddings = adapter.present && facts.adapter_modules_to_save &&
                              !facts.adapter_modules_to_save->value.empty();
  return adapter;
}

}  // namespace gpulint
