#include "plan/knowledge.h"

#include "catalog/catalog.h"

namespace gpulint {
namespace {

template <class Traits>
const Traits* described(const TrainingPlan& plan, const Maybe<std::string>& fact,
                        const Traits* (Catalog::*find)(std::string_view) const) {
  return plan.knowledge != nullptr && fact ? (plan.knowledge->*find)(fact->value) : nullptr;
}

}  // namespace

const OptimizerTraits* optimizer_of(const TrainingPlan& plan) {
  return described(plan, plan.optimizer, &Catalog::optimizer);
}

const AdapterTraits* adapter_of(const TrainingPlan& plan) {
  return described(plan, plan.adapter, &Catalog::adapter);
}

const ImplementationTraits* implementation_of(const TrainingPlan& plan) {
  return described(plan, plan.model_implementation, &Catalog::implementation);
}

const EngineTraits* engine_of(const TrainingPlan& plan) {
  return described(plan, plan.sharding_engine, &Catalog::engine);
}

}  // namespace gpulint
