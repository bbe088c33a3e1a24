#pragma once

#include "memory/footprint.h"
#include "run/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// What lives inside the framework's allocator during a training step.
enum class Component : std::uint8_t {
  weights,
  kept_by_script,
  optimizer_state,
  ema_weights,
  gradients,
  communication_buffers,
  gathered_weights,
  autocast_copies,
  activations,
  input_batch,
  loss_transients,
  step_temporaries,
  workspaces,
  model_buffers,
  convolution_workspace,
  block_rounding
};
inline constexpr std::size_t kComponentCount = 16;
std::string_view name_of(Component component);

enum class Phase : std::uint8_t { forward, backward, optimizer_step, first_iteration, evaluation };
inline constexpr std::size_t kPhaseCount = 5;
std::string_view name_of(Phase phase);

/// One interval per component.
class Components {
 public:
  Interval& operator[](Component c) { return values_[static_cast<std::size_t>(c)]; }
  const Interval& operator[](Component c) const { return values_[static_cast<std::size_t>(c)]; }
  Interval total() const;

 private:
  std::array<Interval, kComponentCount> values_{};
};

/// Full size of every component over a step, and what of it may be there at which time.
struct StepMemory {
  Components full;
  Interval evaluation_activations;
  /// Gradients that exist before backward starts: accumulation, or gradients zeroed in place.
  Interval kept_gradients;
  /// Instead of a bound from the sizes alone, where the operators of the model were played.
  std::optional<PlayedBackward> played;
};

/// What is alive at the peak of one phase.
Components alive_in(const StepMemory& step, Phase phase);

}  // namespace gpulint
