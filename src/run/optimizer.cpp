// What optimizers keep per trainable parameter: the numbers of knowledge/optimizers under the
// options of a run. Values kept take the dtype of the parameters they belong to (4 bytes under
// autocast, 2 in a purely bf16 run, 4 for the master weights of an engine that keeps some), so
// files count values and not bytes. BERT-base under AdamW: (4 + 8 + 4 + 4) B per parameter plus two
// workspaces = 2104 MiB, measured 2107 MiB (see the test).

#include "run/optimizer.h"

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
void add_ratings(const Adapter& adapter, Optimizer& optimizer) {
  if (adapter.traits == nullptr) return;
  optimizer.state_values.central += adapter.traits->rating_values;
  optimizer.state_values.high += adapter.traits->rating_values;
}

}  // namespace

Optimizer Optimizer::of(const TrainingPlan& facts, const Adapter& adapter) {
  Optimizer optimizer;
  const OptimizerTraits* traits = optimizer_of(facts);
  optimizer.traits = traits;
  optimizer.paged = traits != nullptr && traits->paged;
  if (traits == nullptr || !traits->state_values) {
    optimizer.unknown.push_back("optimizer");
    optimizer.state_values = kUnknownState;
    optimizer.step_values = kUnknownStep;
  } else {
    bool open_momentum = false;
    bool open_decay = false;  // it matters too little to be asked for
    optimizer.state_values = amount_under(*traits->state_values, facts.momentum, open_momentum);
    optimizer.state_bytes = range_of(traits->state_bytes);
    optimizer.step_values = amount_under(traits->step_values, facts.weight_decay, open_decay);
    if (open_momentum) optimizer.unknown.push_back("momentum");
  }
  add_ratings(adapter, optimizer);
  if (is_true(facts.fused_optimizer) || is_false(facts.foreach_optimizer)) {
    optimizer.step_values = {};
  }
  return optimizer;
}

}  // namespace gpulint
