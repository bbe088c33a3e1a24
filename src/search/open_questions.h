#pragma once

// What a config leaves open and decides memory, each with the answers that are usual.

#include "estimate/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// An answer sets one fact, or two that are decided together (how states are split, on how many
/// ranks). Answers lead from little memory to much, or the other way.
struct OpenQuestion {
  std::vector<FactChanges> answers;
  /// Nothing is known of the activations without an answer.
  bool sizes_input = false;
};

/// Stages that split some and all states, as the run's own engine has them; the last splits most.
std::vector<int> split_stages(const ResolvedRun& run);

/// Which network is trained, where a language model is and nothing says which.
std::optional<OpenQuestion> open_network(const EstimateRequest& request, const Estimate& known);

/// The questions that `known`, the estimate of the same request, leaves open; the size of the input
/// first. At most one answer per question is true of a run.
std::vector<OpenQuestion> open_questions(const EstimateRequest& request, const Estimate& known);

}  // namespace gpulint
