// The peak of a training step is a maximum over its phases and never the sum of all columns:
// activations are gone when the optimizer runs, optimizer temporaries do not exist during backward.
//
//   forward          W + S + ema + kept gradients + autocast copies + activations + the loss with
//                    its own gradient
//   backward         the same without the loss, while activations are traded for gradients
//   optimizer step   W + S + ema + gradients + step temporaries
//   first iteration  forward and backward without S, which the first step then allocates
//   evaluation       W + S + ema + two layers' activations
//
// Backward gives the saved tensors A (activations and autocast's weight copies) back layer by layer
// and makes the gradients G. How the two overlap depends on where a network keeps its parameters: G
// appears while A is still whole when they sit in the last layers (backward starts there), and only
// after A is gone when they sit in the first. The peak is therefore between max(A, G) and A + G,
// and without operators the middle is taken. With operators the step was played (model/timeline.h).

#include "memory/phases.h"

#include <algorithm>

namespace gpulint {
namespace {

// With the operators known, the moment of the peak is too: its activations, and the gradients made
// by then beside those kept from earlier micro-batches, which take no second copy.
void play_backward(const StepMemory& step, Components& alive) {
  const PlayedBackward& played = *step.played;
  alive[Component::activations] = played.activations;
  alive[Component::autocast_copies] = played.autocast_copies;
  const Interval made = times(played.gradient_share, step.full[Component::gradients]);
  alive[Component::gradients] = peak_of(step.kept_gradients, made);
}

// Gradients alive at the backward peak, counted as if all saved tensors still were.
Interval gradients_in_backward(const StepMemory& step) {
  const Interval& gradients = step.full[Component::gradients];
  const Interval saved = step.full[Component::activations] + step.full[Component::autocast_copies];
  const Interval& kept = step.kept_gradients;
  const Bytes g = gradients.central;
  const Bytes a = saved.central;
  const Bytes overlap = Bytes::of(std::min(a, g).count() / 2);
  const Bytes central = std::max(a, g) - a + overlap;
  const Bytes low = std::max(Bytes{}, gradients.low - saved.low);
  return {std::max(kept.low, low), std::max(kept.central, central), gradients.high};
}

void drop(Components& alive, Component component) { alive[component] = {}; }

// Before the first block lets go of its gathered weights: no activations, all gradients. An engine
// that keeps whole gradients while micro-batches accumulate has its peak there.
Components at_end_of_backward(const StepMemory& step) {
  Components alive = step.full;
  drop(alive, Component::activations);
  drop(alive, Component::autocast_copies);
  return alive;
}

Components larger_of(const Components& a, const Components& b) {
  const auto held = [](Components c) {  // what is dropped of every backward phase does not count
    drop(c, Component::loss_transients);
    drop(c, Component::step_temporaries);
    return c.total().central;
  };
  return held(b) > held(a) ? b : a;
}

}  // namespace

std::string_view name_of(Component component) {
  switch (component) {
    case Component::weights:
      return "weights";
    case Component::kept_by_script:
      return "kept by the script";
    case Component::optimizer_state:
      return "optimizer state";
    case Component::ema_weights:
      return "EMA weights";
    case Component::gradients:
      return "gradients";
    case Component::communication_buffers:
      return "communication buffers";
    case Component::gathered_weights:
      return "gathered layers";
    case Component::autocast_copies:
      return "autocast weight copies";
    case Component::activations:
      return "activations";
    case Component::input_batch:
      return "input batch";
    case Component::loss_transients:
      return "logits and loss";
    case Component::step_temporaries:
      return "optimizer step temporaries";
    case Component::workspaces:
      return "cuBLAS workspaces";
    case Component::model_buffers:
      return "model buffers";
    case Component::convolution_workspace:
      return "convolution workspace";
    case Component::block_rounding:
      return "rounding of blocks";
  }
  return "";
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::optimizer_step:
      return "optimizer step";
    case Phase::first_iteration:
      return "first iteration";
    case Phase::evaluation:
      return "evaluation";
  }
  return "";
}

Interval Components::total() const {
  Interval sum;
  for (const Interval& value : values_) sum = sum + value;
  return sum;
}

Components alive_in(const StepMemory& step, Phase phase) {
  Components alive = step.full;
  switch (phase) {
    case Phase::forward:
      alive[Component::gradients] = step.kept_gradients;
      drop(alive, Component::step_temporaries);
      break;
    case Phase::backward:
      if (step.played) {
        play_backward(step, alive);
        alive = larger_of(alive, at_end_of_backward(step));
      } else {
        alive[Component::gradients] = gradients_in_backward(step);
      }
      drop(alive, Component::loss_transients);
      drop(alive, Component::step_temporaries);
      break;
    case Phase::optimizer_step:
      drop(alive, Component::autocast_copies);
      drop(alive, Component::activations);
      drop(alive, Component::loss_transients);
      drop(alive, Component::convolution_workspace);
      drop(alive, Component::block_rounding);
      drop(alive, Component::gathered_weights);
      // The training loop usually still names the batch, but need not.
      alive[Component::input_batch].low = Bytes{};
      break;
    case Phase::first_iteration:
      alive = alive_in(step, Phase::backward);
      drop(alive, Component::optimizer_state);
      break;
    case Phase::evaluation:
      alive[Component::activations] = step.evaluation_activations;
      // Gradients stay until the next zero_grad, which may come before or after evaluation.
      alive[Component::gradients] = {Bytes{}, Bytes{}, step.full[Component::gradients].high};
      drop(alive, Component::autocast_copies);
      drop(alive, Component::loss_transients);
      drop(alive, Component::step_temporaries);
      drop(alive, Component::input_batch);
      drop(alive, Component::block_rounding);
      break;
  }
  return alive;
}

}  // namespace gpulint
