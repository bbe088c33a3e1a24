// What optimizers keep per trainable parameter: the numbers of knowledge/optimizers under the
// options of a run. Values kept take the dtype of the parameters they belong to (4 bytes under
// autocast, 2 in a purely bf16 run, 4 for the master weights of an engine that keeps some), so
// files count values and not bytes. BERT-base under AdamW: (4 + 8 + 4 + 4) B per parameter plus two
// workspaces = 2104 MiB, measured 2107 MiB (see the test).

#include "memory/optimizer_state.h"

#include "plan/knowledge.h"
#include "run/fact_access.h"

#include <optional>

namespace gpulint {
namespace {

// Not stated, or a name nobody described: at least nothing is kept (SGD), usually Adam's two values
// are, and a preconditioned method keeps more.
constexpr Range kUnknownState{0, 2, 6};
constexpr Range kUnknownStep{0, 1, 2};

Range range_of(const AmountRange& amount) { return {amount.low, amount.usual, amount.high}; }

/// What an option that is 0, above it or not stated makes of an amount; whether it is missing.
Range amount_under(const OptionalAmount& amount, const Maybe<double>& option, bool& missing) {
  if (!option) {
    missing = amount.unknown.has_value();
    return range_of(amount.unknown.value_or(amount.without));
  }
  return range_of(option->value > 0 ? amount.with.value_or(amount.without) : amount.without);
}

// Adapters that rate every trained weight keep the ratings. Nothing is rated unless the script
// calls the method's update after each step.
void add_ratings(const TrainingPlan& plan, OptimizerMemory& memory) {
  const AdapterTraits* adapter = adapter_of(plan);
  if (adapter == nullptr) return;
  memory.state_values.central += adapter->rating_values;
  memory.state_values.high += adapter->rating_values;
}

}  // namespace

OptimizerMemory optimizer_memory(const TrainingPlan& plan, UnknownFacts& unknown) {
  const OptimizerTraits* optimizer = optimizer_of(plan);
  OptimizerMemory memory;
  memory.paged = optimizer != nullptr && optimizer->paged;
  if (optimizer == nullptr || !optimizer->state_values) {
    unknown.push_back("optimizer");
    memory.state_values = kUnknownState;
    memory.step_values = kUnknownStep;
  } else {
    bool open_momentum = false;
    bool open_decay = false;  // it matters too little to be asked for
    memory.state_values = amount_under(*optimizer->state_values, plan.momentum, open_momentum);
    memory.state_bytes = range_of(optimizer->state_bytes);
    memory.step_values = amount_under(optimizer->step_values, plan.weight_decay, open_decay);
    if (open_momentum) unknown.push_back("momentum");
  }
  add_ratings(plan, memory);
  if (is_true(plan.fused_optimizer) || is_false(plan.foreach_optimizer)) memory.step_values = {};
  return memory;
}

}  // namespace gpulint
