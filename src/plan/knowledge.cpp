#include "plan/knowledge.h"

#include "catalog/catalog.h"

namespace gpulint {
namespace {

template <class Traits>
const Traits* described(const TrainingPlan& plan, const Maybe<std::string>& fact) {
  return plan.knowledge != nullptr && fact ? plan.knowledge->described<Traits>(fact->value)
                                           : nullptr;
}

}  // namespace

const OptimizerTraits* optimizer_of(const TrainingPlan& plan) {
  return described<OptimizerTraits>(plan, plan.optimizer);
}

const AdapterTraits* adapter_of(const TrainingPlan& plan) {
  return described<AdapterTraits>(plan, plan.adapter);
}

const ImplementationTraits* implementation_of(const TrainingPlan& plan) {
  return described<ImplementationTraits>(plan, plan.model_implementation);
}

const EngineTraits* engine_of(const TrainingPlan& plan) {
  return described<EngineTraits>(plan, plan.sharding_engine);
}

}  // namespace gpulint
