// What optimizers keep per trainable parameter. One flat table, because an optimizer is a name and
// a few numbers; sources and units stand with the columns. Values kept take the dtype of the
// parameters they belong to (4 bytes under autocast, 2 in a purely bf16 run, 4 for the master
// weights of an engine that keeps some), so the table counts values and not bytes.
//
// Sources: torch.optim reference pages (state per parameter; "foreach uses about sizeof(params)
// more peak memory than the for-loop version"); our own measurement of the step on torch 1.13 (sgd
// with weight decay borrows one copy); bitsandbytes functional.py for the 8-bit layout; Shazeer and
// Stern 2018 for Adafactor. BERT-base under AdamW: (4 + 8 + 4 + 4) B per parameter plus two
// workspaces = 2104 MiB, measured 2107 MiB (see the test).

#include "memory/optimizer_state.h"

#include "run/fact_access.h"

#include <array>
#include <string_view>

namespace gpulint {
namespace {

struct Row {
  std::string_view name;
  Range values;  // kept, in the parameter's dtype
  Range bytes;   // kept, fixed
  Range step;    // borrowed during the step
};

constexpr Range kNone = exactly(0);
constexpr Range kOne = exactly(1);
constexpr Range kTwo = exactly(2);
// foreach borrows one copy of the parameters, the for-loop and fused forms next to nothing.
constexpr Range kForeach{0, 1, 1};
// An 8-bit state: one byte and, per block of 256 values, an fp32 scale.
constexpr double kEightBit = 1.0 + 4.0 / 256;
// A factored second moment of an n x n matrix keeps 2n fp32 values, 8/n bytes per parameter:
// n = 768 is usual, n = 64 a very small network.
constexpr Range kFactored{0, 8.0 / 768, 8.0 / 64};

constexpr std::array kRows{
    Row{"sgd", kNone, kNone, kNone},
    Row{"adam", kTwo, kNone, kForeach},
    Row{"adamw", kTwo, kNone, kForeach},
    Row{"amsgrad", exactly(3), kNone, kForeach},
    Row{"nadam", kTwo, kNone, kForeach},
    Row{"nadamw", kTwo, kNone, kForeach},
    Row{"radam", kTwo, kNone, kForeach},
    Row{"adamax", kTwo, kNone, kForeach},
    Row{"adadelta", kTwo, kNone, kForeach},
    Row{"adabelief", kTwo, kNone, kForeach},
    Row{"lamb", kTwo, kNone, kForeach},
    Row{"bert_adam", kTwo, kNone, kNone},  // a loop over tensors, as Novograd's
    Row{"novograd", kOne, kNone, kNone},
    Row{"lars", kOne, kNone, kForeach},
    Row{"adagrad", kOne, kNone, kForeach},
    Row{"lion", kOne, kNone, kForeach},
    // One second moment; a momentum buffer and a mean of gradients when asked for.
    Row{"rmsprop", {1, 1, 3}, kNone, kForeach},
    Row{"adafactor", {0, 0, 1}, kFactored, {0, 0, 1}},
    // Adam's two values in a projection of rank r: 2 r / h of them, r 32 to 256, h 1,024 to 8,192.
    Row{"galore_adamw", {0, 0.06, 0.5}, kNone, kNone},
    // Matrices keep one value, what AdamW updates beside them two.
    Row{"muon", {1, 1.5, 2}, kNone, kForeach},
    // Preconditioners of m x m and n x n per matrix on top of Adam's moments: no upper bound
    // without shapes; two further values per parameter is a square matrix.
    Row{"shampoo", {1, 4, 6}, kNone, kForeach},
    Row{"soap", {2, 4, 6}, kNone, kForeach},
    // Embeddings are often kept in 32 bits by rule, hence the upper ends.
    Row{"adam_8bit", kNone, {2 * kEightBit, 2 * kEightBit, 8}, kNone},
    Row{"adamw_8bit", kNone, {2 * kEightBit, 2 * kEightBit, 8}, kNone},
    Row{"lion_8bit", kNone, {kEightBit, kEightBit, 4}, kNone},
    Row{"sgd_8bit", kNone, {kEightBit, kEightBit, 4}, kNone},
    Row{"rmsprop_8bit", kNone, {kEightBit, kEightBit, 4}, kNone},
};

// Not stated, or a name nobody described: at least nothing is kept (SGD), usually Adam's two values
// are, and a preconditioned method keeps more.
constexpr Row kUnknownOptimizer{"", {0, 2, 6}, kNone, {0, 1, 2}};

constexpr std::string_view kPaged = "paged_";

const Row* find_row(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// SGD keeps a velocity only with momentum, and borrows a copy of the gradients for weight decay.
void add_sgd_options(const TrainingPlan& plan, OptimizerMemory& memory, UnknownFacts& unknown) {
  if (!plan.momentum) {
    memory.state_values = {0, 1, 1};
    unknown.push_back("momentum");
  } else if (plan.momentum->value > 0) {
    memory.state_values = kOne;
  }
  const bool decays = plan.weight_decay && plan.weight_decay->value > 0;
  memory.step_values = {0, decays ? 1.0 : 0.0, decays || !plan.weight_decay ? 1.0 : 0.0};
}

// AdaLoRA rates every trained weight: its importance now, smoothed, and how unsure that is (peft
// tuners/adalora/layer.py, RankAllocator.update_ipt). Nothing is rated unless the script calls
// update_and_allocate() after each step.
constexpr double kRatings = 3;

void add_ratings(const TrainingPlan& plan, OptimizerMemory& memory) {
  if (text_of(plan.adapter) != "adalora") return;
  memory.state_values.central += kRatings;
  memory.state_values.high += kRatings;
}

}  // namespace

OptimizerMemory optimizer_memory(const TrainingPlan& plan, UnknownFacts& unknown) {
  std::string_view name = text_of(plan.optimizer);
  OptimizerMemory memory;
  if (name.starts_with(kPaged)) {
    memory.paged = true;
    name.remove_prefix(kPaged.size());
  }
  const Row* row = find_row(name);
  if (row == nullptr) {
    unknown.push_back("optimizer");
    row = &kUnknownOptimizer;
  }
  memory.state_values = row->values;
  memory.state_bytes = row->bytes;
  memory.step_values = row->step;
  if (row->name == "sgd") add_sgd_options(plan, memory, unknown);
  if (row->name == "rmsprop" && plan.momentum && plan.momentum->value > 0) {
    memory.state_values = {2, 2, 3};
  }
  add_ratings(plan, memory);
  if (is_true(plan.fused_optimizer) || is_false(plan.foreach_optimizer)) memory.step_values = kNone;
  return memory;
}

}  // namespace gpulint
